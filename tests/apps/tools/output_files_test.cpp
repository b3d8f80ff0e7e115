#include "tools/output_files.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tools/input.hpp"

namespace quarry::app {
namespace {

namespace fs = std::filesystem;

class OutputFilesTest : public testing::Test {
  protected:
    OutputFilesTest() : folder_(fs::temp_directory_path() / ("quarry_output_files_" + std::to_string(getpid()))) {
        fs::create_directories(folder_);
    }
    ~OutputFilesTest() override { fs::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::ptrdiff_t things_there() const {
        return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
    }
    static std::string text(const std::string& path) {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    fs::path folder_;
};

TEST_F(OutputFilesTest, AppearTogetherWhenCommitted) {
    std::ofstream(path("old")) << "before";
    OutputFiles files;
    files.add("--out", path("old"));
    files.add("--json", path("new"));
    files.write(path("old"), [](std::ostream& out) { out << "after"; });
    files.write(path("new"), [](std::ostream& out) { out << std::string(3'000'000, 'x'); });
    EXPECT_EQ(text(path("old")), "before");
    EXPECT_FALSE(fs::exists(path("new")));
    files.commit();
    EXPECT_EQ(text(path("old")), "after");
    EXPECT_EQ(fs::file_size(path("new")), 3'000'000u);
    EXPECT_EQ(things_there(), 2);
    ASSERT_EQ(files.written().size(), 2u);
    EXPECT_EQ(files.written()[1].bytes, 3'000'000u);
}

TEST_F(OutputFilesTest, LeaveNothingBehindWhenTheyAreNotCommitted) {
    std::ofstream(path("old")) << "before";
    {
        OutputFiles files;
        files.add("--out", path("old"));
        files.add("--out", path("new"));
        files.write(path("new"), [](std::ostream& out) { out << "text"; });
        EXPECT_THROW(files.write(path("old"), [](std::ostream&) { throw std::runtime_error("no"); }),
                     std::runtime_error);
    }
    EXPECT_EQ(things_there(), 1);
    EXPECT_EQ(text(path("old")), "before");
}

TEST_F(OutputFilesTest, OneThatCanNotGetItsNameLeavesAllAsItWas) {
    std::ofstream(path("old")) << "before";
    {
        OutputFiles files;
        files.add("--out", path("old"));
        files.add("--out", path("one"));
        files.add("--out", path("two"));
        files.write(path("old"), [](std::ostream& out) { out << "after"; });
        fs::create_directories(folder_ / "two" / "in_the_way");
        EXPECT_THROW(files.commit(), WrongInput);
    }
    EXPECT_EQ(text(path("old")), "before");
    EXPECT_EQ(things_there(), 2);
    EXPECT_TRUE(fs::exists(path("two/in_the_way")));
}

TEST_F(OutputFilesTest, LinkToAFileThatIsNotThereYetIsThatFile) {
    fs::create_symlink("file", folder_ / "link");
    OutputFiles files;
    files.add("--out", path("link"));
    EXPECT_THROW(files.add("--preview", path("file")), WrongInput);
}

TEST_F(OutputFilesTest, TwoNamesOfOneFileAreRefused) {
    std::ofstream(path("there")) << "text";
    fs::create_hard_link(path("there"), path("link"));
    fs::create_symlink(folder_, folder_ / "same");
    OutputFiles files;
    files.add("--out", path("there"));
    for (const char* name : {"there", "./there", "same/there", "link"}) {
        EXPECT_THROW(files.add("--preview", path(name)), WrongInput) << name;
    }
    EXPECT_THROW(files.refuse_as_output("--field", path("link")), WrongInput);
    EXPECT_NO_THROW(files.refuse_as_output("--field", path("other")));
    EXPECT_NO_THROW(files.add("--preview", path("other")));
}

TEST_F(OutputFilesTest, WhatTheSystemDoesNotTakeIsSaid) {
    OutputFiles files;
    const auto refusal = [&](const std::string& where) -> std::string {
        try {
            files.add("--out", where);
        } catch (const WrongInput& refused) {
            return refused.what();
        }
        return "";
    };
    EXPECT_NE(refusal(path("missing/file")).find("folder does not exist"), std::string::npos);
    EXPECT_NE(refusal(folder_.string()).find("is a folder"), std::string::npos);
    EXPECT_NE(refusal("/sys/file").find("cannot be written"), std::string::npos);
    EXPECT_NE(refusal(path(std::string(300, 'n'))).find("long"), std::string::npos);
    std::ofstream(path("file")) << "text";
    EXPECT_NE(refusal(path("file/below")), "");
}

TEST_F(OutputFilesTest, FullDeviceIsSaidWhenItIsWrittenTo) {
    OutputFiles files;
    files.add("--json", "/dev/full");
    try {
        files.write("/dev/full", [](std::ostream& out) { out << "text"; });
        FAIL() << "it took the text";
    } catch (const WrongInput& refused) {
        EXPECT_EQ(std::string(refused.what()), "--json '/dev/full': cannot be written: No space left on device");
    }
}

TEST_F(OutputFilesTest, MissingRoomIsSaidBeforehand) {
    OutputFiles files;
    files.add("--out", path("file"));
    EXPECT_NO_THROW(files.require_room(path("file"), 1000));
    EXPECT_THROW(files.require_room(path("file"), 1e18), WrongInput);
}

}  // namespace
}  // namespace quarry::app
