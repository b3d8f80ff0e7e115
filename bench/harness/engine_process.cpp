#include "harness/engine_process.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace quarry::bench {
namespace {

// Only calls that are safe between fork and exec.
[[noreturn]] void become(const std::vector<char*>& arguments, int socket) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(socket, STDIN_FILENO);
    dup2(socket, STDOUT_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
}

// True when the line ends the reply.
bool take_line(const std::string& line, Reply& reply) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "value") {
        Answer::Value value{};
        words >> value.name >> value.unit >> value.value;
        reply.answer.values.push_back(std::move(value));
        return false;
    }
    if (kind == "samples") {
        Answer::Samples samples;
        words >> samples.name >> samples.unit;
        for (double sample = 0; words >> sample;) samples.values.push_back(sample);
        reply.answer.samples.push_back(std::move(samples));
        return false;
    }
    reply.status = kind == "done"          ? Reply::Status::done
                   : kind == "unsupported" ? Reply::Status::unsupported
                                           : Reply::Status::error;
    std::getline(words >> std::ws, reply.text);
    return true;
}

std::string describe_end(int status) {
    if (WIFSIGNALED(status)) return "killed by signal " + std::to_string(WTERMSIG(status));
    return "ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

EngineProcess::EngineProcess(std::string name, std::vector<std::string> command)
    : name_(std::move(name)), command_(std::move(command)) {}

EngineProcess::~EngineProcess() {
    stop();
}

void EngineProcess::start() {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return;
    std::vector<char*> arguments;
    for (std::string& argument : command_) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    std::fflush(nullptr);
    process_ = fork();
    if (process_ == 0) become(arguments, sockets[1]);
    close(sockets[1]);
    socket_ = sockets[0];
    unread_.clear();
    if (process_ < 0) stop();
}

void EngineProcess::stop() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
    if (process_ > 0) {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    process_ = -1;
}

void EngineProcess::send(const std::string& request) {
    if (process_ < 0) start();
    const std::string line = request + "\n";
    if (socket_ >= 0 && ::send(socket_, line.data(), line.size(), MSG_NOSIGNAL) < 0) {
        // receive() sees the closed socket and says how the process ended.
    }
}

bool EngineProcess::read_line(std::string& line, std::chrono::steady_clock::time_point deadline, Reply& reply) {
    for (;;) {
        if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
            line = unread_.substr(0, end);
            unread_.erase(0, end + 1);
            return true;
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        pollfd wanted{socket_, POLLIN, 0};
        if (left.count() <= 0 || poll(&wanted, 1, static_cast<int>(left.count())) == 0) {
            reply.status = Reply::Status::hung;
            reply.text = "no answer in time, stopped";
            return false;
        }
        char buffer[4096];
        const ssize_t count = read(socket_, buffer, sizeof buffer);
        if (count > 0) {
            unread_.append(buffer, static_cast<std::size_t>(count));
        } else if (count == 0 || errno != EINTR) {
            int status = 0;
            waitpid(process_, &status, 0);
            process_ = -1;
            reply.status = Reply::Status::died;
            reply.text = describe_end(status);
            return false;
        }
    }
}

Reply EngineProcess::receive(std::chrono::milliseconds patience) {
    Reply reply;
    if (socket_ < 0) {
        reply.text = "could not be started";
        return reply;
    }
    const auto deadline = std::chrono::steady_clock::now() + patience;
    std::string line;
    do {
        if (!read_line(line, deadline, reply)) {
            stop();
            return reply;
        }
    } while (!take_line(line, reply));
    return reply;
}

Reply EngineProcess::ask(const std::string& request, std::chrono::milliseconds patience) {
    send(request);
    return receive(patience);
}

std::int64_t EngineProcess::cpu_ns() const {
    std::int64_t sum = 0;
    std::error_code ended;  // threads come and go while the folder is read
    const std::filesystem::path folder = "/proc/" + std::to_string(process_) + "/task";
    for (std::filesystem::directory_iterator task(folder, ended), end; !ended && task != end; task.increment(ended)) {
        std::int64_t nanoseconds = 0;
        if (std::ifstream(task->path() / "schedstat") >> nanoseconds) sum += nanoseconds;
    }
    return sum;
}

void EngineProcess::settle() const {
    if (process_ < 0) return;
    std::int64_t before = cpu_ns();
    for (int round = 0; round < 100; ++round) {
        sleep_ns(2'000'000);
        const std::int64_t after = cpu_ns();
        if (after - before < 100'000) return;
        before = after;
    }
}

}  // namespace quarry::bench
