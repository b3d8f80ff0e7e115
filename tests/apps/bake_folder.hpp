#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/apps/program.hpp"

namespace quarry::tests {

// A folder of its own for each test, in which nothing must be left that was not asked for.
class BakeFolder : public testing::Test {
  protected:
    BakeFolder() : folder_(std::filesystem::temp_directory_path() / ("quarry_bake_" + std::to_string(getpid()))) {
        std::filesystem::create_directories(folder_);
    }
    ~BakeFolder() override { std::filesystem::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }

    std::size_t files_there() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
    }

    static std::string bytes(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    static Outcome bake(std::vector<std::string> arguments, const Circumstances& circumstances = {}) {
        arguments.insert(arguments.begin(), "bake");
        return run_program(arguments, circumstances);
    }

    std::filesystem::path folder_;
};

}  // namespace quarry::tests
