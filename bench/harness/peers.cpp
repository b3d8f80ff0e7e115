#include "harness/peers.hpp"

#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "terrain/engine.hpp"

namespace quarry::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kNotFound = 127;

struct Outcome {
    int status;
    std::string output;
};

// Runs a program to its end; both of its output streams are collected.
Outcome collect(const std::vector<std::string>& command) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return {kNotFound, ""};
    std::vector<std::string> words = command;
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t process = fork();
    if (process == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execvp(arguments[0], arguments.data());
        _exit(kNotFound);
    }
    close(ends[1]);
    std::string output;
    char buffer[4096];
    for (ssize_t count = 0; (count = read(ends[0], buffer, sizeof buffer)) > 0;) {
        output.append(buffer, static_cast<std::size_t>(count));
    }
    close(ends[0]);
    int status = 0;
    if (process < 0 || waitpid(process, &status, 0) < 0 || !WIFEXITED(status)) return {kNotFound, output};
    return {WEXITSTATUS(status), output};
}

fs::path own_program() {
    std::error_code failure;
    return fs::read_symlink("/proc/self/exe", failure);
}

// The repository this program was built in, or the one the caller stands in.
std::optional<fs::path> repository() {
    std::error_code failure;
    for (fs::path start : {own_program().parent_path(), fs::current_path(failure)}) {
        for (; !start.empty(); start = start.parent_path()) {
            if (fs::exists(start / "bench/peers/Cargo.toml", failure)) return start;
            if (start == start.root_path()) break;
        }
    }
    return std::nullopt;
}

// A program of peers without a name to serve lists the engines it has.
void add_engines(const fs::path& program, Peers& peers) {
    std::istringstream names(collect({program.string()}).output);
    for (std::string name; names >> name;) peers.engines.push_back({name, {program.string(), name}, ""});
}

void add_graph_engines(const fs::path& program, Peers& peers) {
    std::istringstream names(collect({program.string(), "graph", "list"}).output);
    for (std::string name; names >> name;) peers.engines.push_back({name, {program.string(), "graph", name}, ""});
}

using AddEngines = void (*)(const fs::path& program, Peers& peers);

void add_cpp_peers(const std::optional<fs::path>& root, Peers& peers, AddEngines add = add_engines) {
    std::vector<fs::path> places{own_program().parent_path()};
    if (root) places.push_back(*root / "build/bench");
    for (const fs::path& place : places) {
        std::error_code failure;
        const fs::path program = place / "quarry-bench-peers";
        if (fs::exists(program, failure)) return add(program, peers);
    }
    peers.notes.emplace_back(
        "C++ peers left out: not built (needs libtbb-dev; cmake --preset bench && cmake --build --preset bench)");
}

std::string first_error(const std::string& output) {
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("error")) return line;
    }
    return "cargo build failed";
}

struct RustCrate {
    const char* folder;  // in the repository
    const char* target;  // where cargo builds it, in build/
    const char* program;
    std::vector<std::string> options;
};

void add_rust_peers(const std::optional<fs::path>& root, const RustCrate& crate, Peers& peers,
                    AddEngines add = add_engines) {
    if (!root) {
        peers.notes.emplace_back("Rust peers left out: bench/peers is not there, run this inside the repository");
        return;
    }
    const fs::path folder = *root / "build" / crate.target;
    fmt::print(stderr, "building the Rust peers with cargo\n");
    std::vector<std::string> command{"cargo",        "build",           "--release",
                                     "--locked",     "--manifest-path", (*root / crate.folder / "Cargo.toml").string(),
                                     "--target-dir", folder.string()};
    command.insert(command.end(), crate.options.begin(), crate.options.end());
    const Outcome built = collect(command);
    const fs::path program = folder / "release" / crate.program;
    std::error_code failure;
    if (built.status != 0 && !fs::exists(program, failure)) {
        peers.notes.push_back("Rust peers left out: " +
                              (built.status == kNotFound ? "cargo is not installed" : first_error(built.output)));
        return;
    }
    if (built.status != 0) peers.notes.emplace_back("Rust peers: cargo could not build, the last ones built are used");
    add(program, peers);
}

// The pinned forte asks for a compiler newer than it needs.
RustCrate rust_jobs() {
    return {"bench/peers", "peers", "quarry-bench-peers-rust", {"--ignore-rust-version"}};
}

}  // namespace

Peers find_peers() {
    Peers peers;
    const std::optional<fs::path> root = repository();
    add_cpp_peers(root, peers);
    add_rust_peers(root, rust_jobs(), peers);
    return peers;
}

Peers find_terrain_peers() {
    Peers peers;
    // Without -Ctarget-cpu: code for AVX-512 processors is slower here, by a third.
    add_rust_peers(repository(), {"bench/peers/terrain", "peers_terrain", "quarry-bench-terrain-rust", {}}, peers);
    return peers;
}

Peers find_graph_peers() {
    Peers peers;
    const std::optional<fs::path> root = repository();
    add_cpp_peers(root, peers, add_graph_engines);
    add_rust_peers(root, rust_jobs(), peers, add_graph_engines);
    return peers;
}

std::vector<EngineCommand> own_graph_engines() {
    const std::string program = own_program().string();
    return {{"quarry", {program, "engine", "graph-quarry"}, ""}, {"bare", {program, "engine", "graph-bare"}, ""}};
}

Peers find_ecs_peers() {
    Peers peers;
    add_rust_peers(repository(), {"bench/peers/ecs", "peers_ecs", "quarry-bench-ecs-rust", {}}, peers);
    return peers;
}

std::vector<EngineCommand> own_ecs_engines() {
    const std::string program = own_program().string();
    return {{"parallel", {program, "engine", "ecs-parallel"}, ""},
            {"blocking", {program, "engine", "ecs-blocking"}, ""},
            {"bare", {program, "engine", "ecs-bare"}, ""}};
}

std::vector<EngineCommand> own_engines(const std::string& trace_path) {
    const std::string program = own_program().string();
    std::vector<EngineCommand> engines{{"quarry", {program, "engine", "quarry"}, ""}};
    if (!trace_path.empty()) {
        engines.push_back({"traced", {program, "engine", "traced"}, fs::absolute(trace_path).string()});
    }
    engines.push_back({"bare", {program, "engine", "bare"}, ""});
    return engines;
}

EngineCommand own_terrain_engine(const std::string& name, const std::string& target) {
    return {name, {own_program().string(), "engine", std::string(kTerrainEnginePrefix) + target}, ""};
}

}  // namespace quarry::bench
