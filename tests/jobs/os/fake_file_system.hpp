#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace quarry::test {

// A folder that stands for the root of a file system, with the files that the test puts there; gone with the object.
class FakeFileSystem {
  public:
    FakeFileSystem() : root_(testing::TempDir() + "quarry-root-XXXXXX") {
        if (mkdtemp(root_.data()) == nullptr) throw std::runtime_error("no temporary folder " + root_);
    }
    FakeFileSystem(const FakeFileSystem&) = delete;
    FakeFileSystem& operator=(const FakeFileSystem&) = delete;
    ~FakeFileSystem() {
        std::error_code ignored;
        std::filesystem::remove_all(root_, ignored);
    }

    FakeFileSystem& write(const std::string& path, const std::string& text) {
        const std::filesystem::path full(root_ + path);
        std::filesystem::create_directories(full.parent_path());
        std::ofstream file(full);
        file << text;
        if (!file.flush()) throw std::runtime_error("cannot write " + full.string());
        return *this;
    }

    const std::string& root() const { return root_; }

  private:
    std::string root_;
};

}  // namespace quarry::test
