#include "quarry/jobs/impl/output_file.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "jobs/os/descriptor_linux.hpp"
#include "quarry/jobs/error.hpp"

namespace quarry::impl {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as many as the system follows
constexpr int kMostNames = 1000;

[[noreturn]] void refuse(int error) {
    throw Error(std::generic_category().message(error));
}

fs::path folder_of(const fs::path& path) {
    const fs::path folder = path.parent_path();
    return folder.empty() ? fs::path(".") : folder;
}

bool is_in_proc(const fs::path& path) {
    struct statfs system {};
    return statfs(folder_of(path).c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

// What the name stands for, link by link. Where it ends at a descriptor, that is the last link's number.
struct Target {
    fs::path path;
    int descriptor = -1;  // of this process
};

int own_descriptor(const fs::path& path) {
    std::error_code ignored;
    const fs::path folder = fs::canonical(folder_of(path), ignored);
    if (ignored || folder != fs::path("/proc") / std::to_string(getpid()) / "fd") return -1;
    const std::string name = path.filename().string();
    if (name.empty() || name.size() > 9 || name.find_first_not_of("0123456789") != std::string::npos) return -1;
    return std::atoi(name.c_str());  // NOLINT(cert-err34-c): nine digits at most
}

Target followed(fs::path path) {
    for (int link = 0; link < kMostLinks; ++link) {
        struct stat status {};
        if (lstat(path.c_str(), &status) != 0) {
            if (errno == ENOENT) return {std::move(path)};
            refuse(errno);
        }
        if (!S_ISLNK(status.st_mode)) return {std::move(path)};
        if (is_in_proc(path)) {
            if (const int descriptor = own_descriptor(path); descriptor >= 0) return {std::move(path), descriptor};
            // Of another process: what such a link holds need not be a path.
            if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return {std::move(path)};
        }
        std::error_code failure;
        const fs::path next = fs::read_symlink(path, failure);
        if (failure) refuse(failure.value());
        path = next.is_absolute() ? next : folder_of(path) / next;
    }
    refuse(ELOOP);
}

// Somebody may come to read a pipe; until then it cannot be opened without waiting. An open that waits could not be
// stopped, and nothing else tells of a reader: one that waits in its own open raises no event of inotify before there
// is a writer, and a pipe opened for both directions takes bytes that nobody will read. So this looks every 5 ms.
Descriptor open_directly(const fs::path& path, bool is_pipe, const std::stop_token& stop_token) {
    for (;;) {
        const int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (is_pipe ? O_NONBLOCK : 0);
        Descriptor file(open(path.c_str(), flags));
        if (file) {
            if (is_pipe) fcntl(file.number(), F_SETFL, fcntl(file.number(), F_GETFL) & ~O_NONBLOCK);
            return file;
        }
        if (errno == EINTR) continue;
        if (!is_pipe || errno != ENXIO) refuse(errno);
        if (stop_token.stop_requested()) throw Cancelled("stopped before anybody read the pipe");
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

Descriptor duplicate(int descriptor) {
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0) refuse(errno);
    if ((flags & O_ACCMODE) == O_RDONLY) refuse(EBADF);
    Descriptor file(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
    if (!file) refuse(errno);
    return file;
}

fs::path temporary_name(const fs::path& target, int number) {
    return folder_of(target) / (".quarry-" + std::to_string(getpid()) + "-" + std::to_string(number) + ".tmp");
}

}  // namespace

class OutputFile::State {
  public:
    State(const fs::path& path, const std::stop_token& stop_token) {
        Target target = followed(path);
        target_ = std::move(target.path);
        struct stat status {};
        if (target.descriptor >= 0) {
            file_ = duplicate(target.descriptor);
        } else if (stat(target_.c_str(), &status) != 0) {
            if (errno != ENOENT) refuse(errno);
            if (!target_.has_filename()) refuse(EISDIR);
            make_new();
        } else if (S_ISDIR(status.st_mode)) {
            refuse(EISDIR);
        } else if (!S_ISREG(status.st_mode)) {
            file_ = open_directly(target_, S_ISFIFO(status.st_mode), stop_token);
        } else {
            make_like(status);
        }
    }

    ~State() { abandon(); }

    void abandon() noexcept {
        give_name_back();
        remove(temporary_);
    }

    void write(const std::function<void(std::ostream&)>& fill) {
        DescriptorBuffer buffer(file_.number());
        std::ostream out(&buffer);
        try {
            fill(out);
        } catch (...) {
            if (buffer.error() != 0) refuse(buffer.error());
            throw;
        }
        buffer.flush();
        written_ = buffer.written();
        if (buffer.error() != 0) refuse(buffer.error());
        // A file without a name still needs its descriptor to get one.
        Descriptor kept;
        if (is_regular_ && temporary_.empty()) {
            kept = Descriptor(fcntl(file_.number(), F_DUPFD_CLOEXEC, 0));
            if (!kept) refuse(errno);
        }
        const int error = file_.close();
        file_ = std::move(kept);
        if (error != 0) refuse(error);
    }

    std::uint64_t written() const noexcept { return written_; }
    bool is_regular() const noexcept { return is_regular_; }

    const fs::path& target() const noexcept { return target_; }

    void take_name() {
        if (!is_regular_) return;
        if (!take_free_name()) take_old_name();
        is_named_ = true;
    }

    void replace() {
        if (!is_regular_ || take_free_name()) return;
        require_file();
        if (temporary_.empty()) name_temporarily();
        rename_over();
    }

    void give_name_back() noexcept {
        if (!is_named_) return;
        if (old_.empty()) {
            remove(target_);
        } else if (renameat2(AT_FDCWD, old_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
            remove(old_);
        } else {
            static_cast<void>(std::rename(old_.c_str(), target_.c_str()));
        }
        old_.clear();
        is_named_ = false;
    }

    void forget_old() noexcept {
        remove(old_);
        old_.clear();
        is_named_ = false;
    }

  private:
    static bool exists(const fs::path& path) noexcept {
        struct stat status {};
        return lstat(path.c_str(), &status) == 0;
    }

    static void remove(const fs::path& path) noexcept {
        if (!path.empty()) unlink(path.c_str());
    }

    // Without a name where the file system can do that, so that nothing is left of it whatever ends the program.
    void make_new() {
        is_regular_ = true;
        const fs::path folder = folder_of(target_);
        file_ = Descriptor(open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
        if (file_) return;
        if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL) refuse(errno);
        for (int number = 0; number < kMostNames; ++number) {
            fs::path name = temporary_name(target_, number);
            file_ = Descriptor(open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
            if (file_) {
                temporary_ = std::move(name);
                return;
            }
            if (errno != EEXIST) break;
        }
        refuse(errno);
    }

    void make_like(const struct stat& old) {
        if (faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) refuse(errno);
        // In such a folder only the owner of a file may put another in its place.
        struct stat folder {};
        if (stat(folder_of(target_).c_str(), &folder) != 0) refuse(errno);
        const uid_t own = geteuid();
        if ((folder.st_mode & S_ISVTX) != 0 && own != 0 && own != old.st_uid && own != folder.st_uid) refuse(EPERM);
        make_new();
        // Who is not root may not give files away; then the file has a new owner, as with any editor.
        if (fchown(file_.number(), old.st_uid, old.st_gid) != 0) static_cast<void>(errno);
        if (fchmod(file_.number(), old.st_mode & 07777) != 0) refuse(errno);
    }

    bool link_to(const fs::path& name) const noexcept {
        const std::string own = "/proc/self/fd/" + std::to_string(file_.number());
        return linkat(AT_FDCWD, own.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    }

    void name_temporarily() {
        for (int number = 0; number < kMostNames; ++number) {
            fs::path name = temporary_name(target_, number);
            if (link_to(name)) {
                temporary_ = std::move(name);
                return;
            }
            if (errno != EEXIST) break;
        }
        refuse(errno);
    }

    // A second name for the old file, where the system cannot exchange two.
    void keep_old() {
        for (int number = 0; number < kMostNames; ++number) {
            fs::path name = temporary_name(target_, number);
            if (link(target_.c_str(), name.c_str()) == 0) {
                old_ = std::move(name);
                return;
            }
            if (errno != EEXIST) break;
        }
        refuse(errno);
    }

    // True: nothing had that name.
    bool take_free_name() {
        if (exists(target_)) return false;
        if (!temporary_.empty()) {
            rename_over();
            return true;
        }
        if (link_to(target_)) return true;
        if (errno != EEXIST) refuse(errno);
        return false;
    }

    // Something else may have come to that place meanwhile; that is not to be replaced.
    void require_file() const {
        struct stat status {};
        if (lstat(target_.c_str(), &status) != 0) refuse(errno);
        if (!S_ISREG(status.st_mode)) refuse(S_ISDIR(status.st_mode) ? EISDIR : EEXIST);
    }

    void take_old_name() {
        require_file();
        if (temporary_.empty()) name_temporarily();
        if (renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
            old_ = std::exchange(temporary_, {});
        } else if (errno == EINVAL || errno == ENOSYS) {
            keep_old();
            rename_over();
        } else {
            refuse(errno);
        }
    }

    void rename_over() {
        if (std::rename(temporary_.c_str(), target_.c_str()) != 0) refuse(errno);
        temporary_.clear();
    }

    fs::path target_;
    Descriptor file_;
    bool is_regular_ = false;
    std::uint64_t written_ = 0;
    fs::path temporary_;  // the new file's name so far, if it has one
    fs::path old_;        // what the old file is called while the new one has its name
    bool is_named_ = false;
};

OutputFile::OutputFile(const std::filesystem::path& path, const std::stop_token& stop_token)
    : state_(std::make_unique<State>(path, stop_token)) {}
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;
OutputFile::~OutputFile() = default;

void OutputFile::write(const std::function<void(std::ostream&)>& fill) {
    state_->write(fill);
}

std::uint64_t OutputFile::written() const noexcept {
    return state_->written();
}

bool OutputFile::is_regular() const noexcept {
    return state_->is_regular();
}

void OutputFile::take_name() {
    state_->take_name();
}

void OutputFile::replace() {
    state_->replace();
}

const std::filesystem::path& OutputFile::target() const noexcept {
    return state_->target();
}

void OutputFile::give_name_back() noexcept {
    state_->give_name_back();
}

void OutputFile::abandon() noexcept {
    state_->abandon();
}

void OutputFile::forget_old() noexcept {
    state_->forget_old();
}

void write_whole_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& fill) {
    OutputFile file(path);
    file.write(fill);
    file.replace();
}

}  // namespace quarry::impl
