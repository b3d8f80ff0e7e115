#include "quarry/jobs/impl/output_file.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "quarry/jobs/error.hpp"

namespace quarry::impl {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) {
    return std::generic_category().message(error);
}

class OutputFileTest : public testing::Test {
  protected:
    OutputFileTest() {
        std::string name = (fs::temp_directory_path() / "quarry_output_XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        folder_ = name;
    }
    ~OutputFileTest() override { fs::remove_all(folder_); }

    fs::path make(const std::string& name, const std::string& content) const {
        std::ofstream(folder_ / name) << content;
        return folder_ / name;
    }
    static std::string text(const fs::path& path) {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::ptrdiff_t things_there() const {
        return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
    }
    static mode_t mode(const fs::path& path) {
        struct stat status {};
        return lstat(path.c_str(), &status) == 0 ? status.st_mode : 0;
    }
    static void write(const fs::path& path, const std::string& content) {
        write_whole_file(path, [&](std::ostream& out) { out << content; });
    }
    static std::string refusal_of(const fs::path& path) {
        try {
            write(path, "text");
        } catch (const Error& failure) {
            return failure.what();
        }
        return "";
    }

    fs::path folder_;
};

TEST_F(OutputFileTest, NewFileHasTheModeThatTheUserWants) {
    const mode_t before = umask(027);
    write(folder_ / "new", "text");
    umask(before);
    EXPECT_EQ(text(folder_ / "new"), "text");
    EXPECT_EQ(mode(folder_ / "new") & 07777, 0640u);
    EXPECT_EQ(things_there(), 1);
}

TEST_F(OutputFileTest, OldFileGivesItsModeToTheNewOne) {
    const fs::path file = make("old", "a longer text than the new one");
    for (const mode_t kept : {0600u, 0640u, 0666u, 0755u}) {
        ASSERT_EQ(chmod(file.c_str(), kept), 0);
        write(file, "new");
        EXPECT_EQ(text(file), "new");
        EXPECT_EQ(mode(file) & 07777, kept);
    }
    EXPECT_EQ(things_there(), 1);
}

TEST_F(OutputFileTest, NothingIsLeftOfAFileThatDidNotGetItsName) {
    const fs::path old = make("old", "before");
    {
        OutputFile one(old);
        OutputFile two(folder_ / "new");
        one.write([](std::ostream& out) { out << "after"; });
        two.write([](std::ostream& out) { out << "text"; });
        EXPECT_EQ(text(old), "before");
        EXPECT_FALSE(fs::exists(folder_ / "new"));
    }
    EXPECT_EQ(things_there(), 1);
    EXPECT_EQ(text(old), "before");
    EXPECT_THROW(write_whole_file(old, [](std::ostream&) { throw std::domain_error("no"); }), std::domain_error);
    EXPECT_EQ(text(old), "before");
}

TEST_F(OutputFileTest, OldFileCanBeBroughtBack) {
    const fs::path old = make("old", "before");
    ASSERT_EQ(chmod(old.c_str(), 0600), 0);
    OutputFile one(old);
    OutputFile two(folder_ / "new");
    one.write([](std::ostream& out) { out << "after"; });
    two.write([](std::ostream& out) { out << "text"; });
    one.take_name();
    two.take_name();
    EXPECT_EQ(text(old), "after");
    EXPECT_EQ(text(folder_ / "new"), "text");
    one.give_name_back();
    two.give_name_back();
    EXPECT_EQ(text(old), "before");
    EXPECT_EQ(mode(old) & 07777, 0600u);
    EXPECT_EQ(things_there(), 1);
}

TEST_F(OutputFileTest, ThingThatCameToItsPlaceMeanwhileIsNotReplaced) {
    OutputFile file(folder_ / "place");
    file.write([](std::ostream& out) { out << "text"; });
    fs::create_directories(folder_ / "place" / "below");
    EXPECT_THROW(file.take_name(), Error);
    EXPECT_THROW(file.replace(), Error);
    EXPECT_TRUE(fs::exists(folder_ / "place" / "below"));
    EXPECT_EQ(things_there(), 1);
}

TEST_F(OutputFileTest, SymbolicLinksAreFollowed) {
    const fs::path file = make("file", "before");
    fs::create_symlink("file", folder_ / "link");
    fs::create_symlink(folder_ / "link", folder_ / "link of a link");
    write(folder_ / "link of a link", "after");
    EXPECT_EQ(text(file), "after");
    EXPECT_TRUE(S_ISLNK(mode(folder_ / "link")) && S_ISLNK(mode(folder_ / "link of a link")));
    EXPECT_EQ(things_there(), 3);
    fs::create_symlink("not yet", folder_ / "dangling");
    write(folder_ / "dangling", "new");
    EXPECT_EQ(text(folder_ / "not yet"), "new");
    EXPECT_TRUE(S_ISLNK(mode(folder_ / "dangling")));
}

TEST_F(OutputFileTest, LinksInACircleAreRefused) {
    fs::create_symlink("two", folder_ / "one");
    fs::create_symlink("one", folder_ / "two");
    EXPECT_EQ(refusal_of(folder_ / "one"), reason(ELOOP));
    EXPECT_EQ(things_there(), 2);
}

TEST_F(OutputFileTest, OtherNamesOfTheOldFileKeepItsContent) {
    const fs::path file = make("file", "before");
    fs::create_hard_link(file, folder_ / "other");
    write(file, "after");
    EXPECT_EQ(text(file), "after");
    EXPECT_EQ(text(folder_ / "other"), "before");
}

TEST_F(OutputFileTest, PipeIsWrittenToAndStaysAPipe) {
    const fs::path pipe = folder_ / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::string received;
    std::thread reader([&] { received = text(pipe); });
    write(pipe, std::string(300'000, 'x'));
    reader.join();
    EXPECT_EQ(received.size(), 300'000u);
    EXPECT_TRUE(S_ISFIFO(mode(pipe)));
    EXPECT_EQ(things_there(), 1);
}

TEST_F(OutputFileTest, WaitForSomebodyWhoReadsAPipeCanBeStopped) {
    const fs::path pipe = folder_ / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::stop_source stop;
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        stop.request_stop();
    });
    EXPECT_THROW(OutputFile(pipe, stop.get_token()), Cancelled);
    later.join();
}

// Not on /dev/null itself: where this fails, everybody on the machine would be without it.
TEST_F(OutputFileTest, DeviceIsWrittenToAndStaysADevice) {
    const fs::path device = folder_ / "null";
    if (mknod(device.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) GTEST_SKIP() << "only root can make a device";
    write(device, "text");
    EXPECT_TRUE(S_ISCHR(mode(device)));
    fs::create_symlink("null", folder_ / "link");
    write(folder_ / "link", "text");
    EXPECT_TRUE(S_ISCHR(mode(device)));
    EXPECT_TRUE(S_ISLNK(mode(folder_ / "link")));
    EXPECT_EQ(things_there(), 2);
}

TEST_F(OutputFileTest, FullDeviceIsSaid) {
    fs::create_symlink("/dev/full", folder_ / "full");
    EXPECT_EQ(refusal_of(folder_ / "full"), reason(ENOSPC));
    EXPECT_TRUE(S_ISLNK(mode(folder_ / "full")));
}

TEST_F(OutputFileTest, OwnDescriptorsAreWrittenToWhereTheyStand) {
    const fs::path file = make("log", "first\n");
    const int log = open(file.c_str(), O_WRONLY | O_APPEND);
    ASSERT_GE(log, 0);
    write("/dev/fd/" + std::to_string(log), "second\n");
    write("/proc/self/fd/" + std::to_string(log), "third\n");
    ::close(log);
    EXPECT_EQ(text(file), "first\nsecond\nthird\n");
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    write("/dev/fd/" + std::to_string(ends[1]), "text");
    char received[5] = "";
    EXPECT_EQ(::read(ends[0], received, 4), 4);
    EXPECT_STREQ(received, "text");
    EXPECT_EQ(refusal_of("/dev/fd/" + std::to_string(ends[0])), reason(EBADF)) << "the end that is for reading";
    ::close(ends[0]);
    ::close(ends[1]);
    EXPECT_EQ(refusal_of("/dev/fd/999999"), reason(ENOENT));
}

TEST_F(OutputFileTest, PlaceThatCanNotBeWrittenIsRefusedWithTheReason) {
    EXPECT_EQ(refusal_of(folder_), reason(EISDIR));
    EXPECT_EQ(refusal_of(folder_ / "missing" / "file"), reason(ENOENT));
    EXPECT_EQ(refusal_of(make("file", "text") / "below"), reason(ENOTDIR));
    EXPECT_EQ(refusal_of(folder_ / std::string(300, 'n')), reason(ENAMETOOLONG));
    EXPECT_EQ(refusal_of(folder_ / "new" / ""), reason(EISDIR));
    EXPECT_EQ(refusal_of(""), reason(EISDIR));
}

// What an ordinary user may not do. In a process of its own, which is that user.
class OutputFileOfAnybody : public OutputFileTest {
  protected:
    std::string refusal_for_anybody(const fs::path& path) const {
        int ends[2];
        if (::pipe(ends) != 0) return "no pipe";
        const pid_t child = fork();
        if (child == 0) {
            constexpr uid_t kNobody = 65534;
            std::string said = "could not become somebody else";
            if (setresgid(kNobody, kNobody, kNobody) == 0 && setresuid(kNobody, kNobody, kNobody) == 0) {
                said = refusal_of(path);
            }
            _exit(::write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size()) ? 0 : 1);
        }
        ::close(ends[1]);
        char said[256] = "";
        const ssize_t count = ::read(ends[0], said, sizeof said - 1);
        ::close(ends[0]);
        int status = 0;
        waitpid(child, &status, 0);
        return count < 0 ? "nothing" : std::string(said, static_cast<std::size_t>(count));
    }
    void SetUp() override {
        if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
        ASSERT_EQ(chmod(folder_.c_str(), 01777), 0);
    }
};

TEST_F(OutputFileOfAnybody, FileOfSomebodyElseIsLeftAloneInAFolderForAll) {
    const fs::path file = make("file", "before");
    ASSERT_EQ(chmod(file.c_str(), 0666), 0);
    EXPECT_EQ(refusal_for_anybody(file), reason(EPERM));
    EXPECT_EQ(text(file), "before");
    EXPECT_EQ(refusal_for_anybody(folder_ / "new"), "");
    EXPECT_EQ(text(folder_ / "new"), "text");
    EXPECT_EQ(things_there(), 2);
}

TEST_F(OutputFileOfAnybody, FileThatMayNotBeWrittenIsNotReplacedEither) {
    const fs::path file = make("file", "before");
    ASSERT_EQ(chown(file.c_str(), 65534, 65534), 0);
    ASSERT_EQ(chmod(file.c_str(), 0444), 0);
    EXPECT_EQ(refusal_for_anybody(file), reason(EACCES));
    EXPECT_EQ(text(file), "before");
}

TEST_F(OutputFileOfAnybody, OwnerOfAFileThatRootReplacesIsKept) {
    const fs::path file = make("file", "before");
    ASSERT_EQ(chown(file.c_str(), 65534, 65534), 0);
    write(file, "after");
    struct stat status {};
    ASSERT_EQ(lstat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, 65534u);
}

}  // namespace
}  // namespace quarry::impl
