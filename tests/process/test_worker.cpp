// A worker that does what no worker should, on demand.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <quarry/jobs/error.hpp>
#include <quarry/process/bytes.hpp>
#include <quarry/process/handlers.hpp>
#include <quarry/process/worker.hpp>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using quarry::process::ByteReader;
using quarry::process::JobContext;

constexpr int kSegment = 3;  // the first descriptor that a worker is given

// A program that does the wrong thing on purpose must be hard to see through.
volatile std::size_t depth_reached = 0;

[[gnu::noinline]] std::size_t overflow_stack(std::size_t depth) {
    std::array<volatile char, 4096> room{};
    room[depth % room.size()] = static_cast<char>(depth);
    depth_reached = depth;
    if (depth == 0) return 0;
    return overflow_stack(depth + 1) + static_cast<std::size_t>(room[depth % room.size()]);
}

struct Segment {
    unsigned char* bytes = nullptr;
    std::size_t length = 0;
};

Segment own_segment() {
    struct stat about {};
    fstat(kSegment, &about);
    const auto length = static_cast<std::size_t>(about.st_size);
    void* memory = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, kSegment, 0);
    if (memory == MAP_FAILED) std::abort();
    return {static_cast<unsigned char*>(memory), length};
}

// Nonsense into the memory that the host reads: all but the arena, a few bytes at a time or whole.
void write_garbage(std::uint32_t seed) {
    std::mt19937 random(seed);
    const Segment segment = own_segment();
    const std::size_t rings = std::min<std::size_t>(segment.length, 512UL << 10);
    const std::size_t count = seed % 3 == 0 ? rings : 1 + random() % 4096;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = seed % 3 == 0 ? i : random() % rings;
        segment.bytes[at] = static_cast<unsigned char>(random());
    }
}

void sleep_ms(JobContext& job) {
    std::this_thread::sleep_for(std::chrono::milliseconds(ByteReader(job.payload()).get<std::uint32_t>()));
}

void spin_ms(JobContext& job) {
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(ByteReader(job.payload()).get<std::uint32_t>());
    while (std::chrono::steady_clock::now() < end) {
    }
}

// A line in a file for each time it runs.
void note(const std::string& path) {
    std::ofstream(path, std::ios::app) << getpid() << "\n";
}

void add_deaths(quarry::process::Registry& registry) {
    registry.add("exit", [](JobContext&) { _exit(3); });
    registry.add("abort", [](JobContext&) {
        std::signal(SIGABRT, SIG_DFL);
        std::abort();
    });
    registry.add("overflow", [](JobContext&) {
        std::signal(SIGSEGV, SIG_DFL);
        overflow_stack(1);
    });
    registry.add("kill", [](JobContext&) { kill(getpid(), SIGKILL); });
    registry.add("note_and_kill", [](JobContext& job) {
        note(std::string(job.text()));
        kill(getpid(), SIGKILL);
    });
    registry.add("note_and_sleep", [](JobContext& job) {
        note(std::string(job.text()));
        std::this_thread::sleep_for(std::chrono::minutes(1));
    });
    registry.add("note_and_stop", [](JobContext& job) {
        note(std::string(job.text()));
        kill(getpid(), SIGSTOP);
    });
    registry.add("stop", [](JobContext&) { kill(getpid(), SIGSTOP); });
    registry.add("garbage", [](JobContext& job) { write_garbage(ByteReader(job.payload()).get<std::uint32_t>()); });
    registry.add("close", [](JobContext&) {
        for (int descriptor = 3; descriptor < 64; ++descriptor) close(descriptor);
    });
    registry.add("fill_memory", [](JobContext&) {
        std::vector<std::vector<char>> taken;
        for (;;) taken.emplace_back(std::size_t{16} << 20, 'x');
    });
}

void add_forks(quarry::process::Registry& registry) {
    // Answers the number of a child that never ends by itself.
    registry.add("fork", [](JobContext& job) {
        const pid_t child = fork();
        if (child == 0) {
            for (;;) pause();
        }
        job.reply(std::as_bytes(std::span(&child, 1)));
    });
    registry.add("fork_and_return", [](JobContext& job) {
        fork();
        job.reply("once");
    });
    // Its child comes back later, with another answer or with an error.
    registry.add("fork_and_differ", [](JobContext& job) {
        const pid_t parent = getpid();
        fork();
        if (getpid() != parent) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            if (job.text() == "throw") throw std::runtime_error("the child");
            job.reply("the child");
        }
        job.reply("the worker");
    });
}

}  // namespace

int main(int count, char** words) {
    const std::string mode = count > 1 ? words[1] : "";
    if (mode == "exit") return 5;
    if (mode == "hang") {
        for (;;) pause();
    }
    quarry::process::Registry registry;
    quarry::process::add_builtin_handlers(registry);
    add_deaths(registry);
    add_forks(registry);
    registry.add("sleep_ms", sleep_ms);
    registry.add("spin_ms", spin_ms);
    registry.add("note", [](JobContext& job) { note(std::string(job.text())); });
    registry.add("throw", [](JobContext& job) { throw quarry::Error(std::string(job.text())); });
    registry.add("throw_int", [](JobContext&) { throw 3; });
    registry.add("who", [](JobContext& job) {
        const int self = getpid();
        job.reply(std::as_bytes(std::span(&self, 1)));
    });
    registry.add("state", [](JobContext& job) {
        const auto state = job.state(job.text());
        state ? job.reply(state->bytes) : job.reply("none");
    });
    registry.add("large", [](JobContext& job) {
        const auto length = ByteReader(job.payload()).get<std::uint32_t>();
        const auto room = job.reply(std::size_t{length});
        std::memset(room.data(), static_cast<int>(length % 251), length);
    });
    registry.add("until_asked", [](JobContext& job) {
        while (!job.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        throw quarry::Cancelled("heeded");
    });
    if (mode == "refuse" || mode == "refuse and leave") {
        quarry::process::Worker worker;
        worker.refuse("ImportError: no module named nowhere\nTraceback: line 1");
        if (mode == "refuse") std::this_thread::sleep_for(std::chrono::seconds(5));
        std::_Exit(0);
    }
    return quarry::process::serve(registry);
}
