#include "tests/apps/program.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace quarry::tests {
namespace {

// A file without a name; the child writes it, the parent reads it once the child has ended, so nobody can block.
class Capture {
  public:
    Capture() : file_(std::tmpfile()) {
        if (file_ == nullptr) throw std::runtime_error("no temporary file");
    }
    ~Capture() { std::fclose(file_); }
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;

    int descriptor() const { return fileno(file_); }
    std::string text() const {
        std::rewind(file_);
        std::string all;
        char buffer[4096];
        for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, file_)) > 0;) {
            all.append(buffer, count);
        }
        return all;
    }

  private:
    std::FILE* file_;
};

void limit_files(std::int64_t most_bytes) {
    if (most_bytes < 0) return;
    const auto most = static_cast<rlim_t>(most_bytes);
    const rlimit limit{most, most};
    setrlimit(RLIMIT_FSIZE, &limit);
}

void send_signals(pid_t process, const Circumstances& circumstances) {
    if (circumstances.signals.empty()) return;
    while (!circumstances.ready(process)) {
        // Left to be found by whoever waits for the end.
        siginfo_t ended{};
        if (waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT) != 0) return;
        if (ended.si_pid == process) return;
        usleep(1000);
    }
    for (const int signal : circumstances.signals) kill(process, signal);
}

}  // namespace

const char* program_path() noexcept {
    return QUARRY_PROGRAM;
}

Outcome run_program(const std::vector<std::string>& arguments, const Circumstances& circumstances) {
    std::vector<std::string> words{program_path()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const Capture output;
    const Capture errors;
    const pid_t process = fork();
    if (process == 0) {
        dup2(output.descriptor(), STDOUT_FILENO);
        dup2(errors.descriptor(), STDERR_FILENO);
        limit_files(circumstances.most_file_bytes);
        if (!circumstances.output.empty()) dup2(open(circumstances.output.c_str(), O_WRONLY), STDOUT_FILENO);
        constexpr uid_t kNobody = 65534;
        if (circumstances.as_nobody &&
            (setresgid(kNobody, kNobody, kNobody) != 0 || setresuid(kNobody, kNobody, kNobody) != 0)) {
            _exit(126);
        }
        execv(pointers[0], pointers.data());
        _exit(127);
    }
    int status = 0;
    if (process > 0) send_signals(process, circumstances);
    if (process < 0 || waitpid(process, &status, 0) != process) throw std::runtime_error("cannot run the program");
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output.text(), errors.text()};
}

std::function<bool(pid_t)> after(std::chrono::milliseconds delay) {
    return [end = std::chrono::steady_clock::now() + delay](pid_t) { return std::chrono::steady_clock::now() >= end; };
}

void expect_refused(const Outcome& outcome, const std::string& mentioned) {
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
    EXPECT_NE(outcome.errors.find(mentioned), std::string::npos) << outcome.errors;
}

Outcome run_program_without_cargo(const std::vector<std::string>& arguments) {
    // The test has no other thread. NOLINTBEGIN(concurrency-mt-unsafe)
    const std::string path = std::getenv("PATH");
    setenv("PATH", "/nowhere", 1);
    Outcome outcome = run_program(arguments);
    setenv("PATH", path.c_str(), 1);
    // NOLINTEND(concurrency-mt-unsafe)
    return outcome;
}

void expect_note_of_missing_cargo(const Outcome& outcome) {
    EXPECT_EQ(outcome.status, 0);
    const bool says_so = outcome.errors.find("Rust peers left out: cargo is not installed") != std::string::npos ||
                         outcome.errors.find("Rust peers: cargo could not build") != std::string::npos;
    EXPECT_TRUE(says_so) << outcome.errors;
}

}  // namespace quarry::tests
