#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <future>
#include <ostream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <quarry/jobs/pool.hpp>

#include "bake/report.hpp"
#include "bake/run.hpp"
#include "command.hpp"
#include "harness/machine.hpp"
#include "preview/half_blocks.hpp"
#include "tools/input.hpp"
#include "tools/interrupt.hpp"
#include "tools/report_head.hpp"

namespace quarry::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRuns = 3;
constexpr std::size_t kHashDigits = 4;

struct Demo {
    BakeOutcome r3;  // the run that took the median time
    std::array<double, kRuns> r3_seconds{};
    std::uint64_t hash_alone = 0;  // on one worker, in scalar code
    BakeOutcome showcase;

    bool hashes_are_equal() const { return r3.hash == hash_alone; }
    bool is_good() const { return hashes_are_equal() && showcase.closedness->is_closed(); }
};

// The benchmark world: meshes with normals, without materials.
BakeOptions r3_options() {
    BakeArguments arguments;
    arguments.field = "noise";
    arguments.world = "sphere:1024";
    BakeOptions options = check_bake(arguments);
    options.extract.materials = nullptr;
    return options;
}

BakeOptions showcase_options(const fs::path& folder) {
    BakeArguments arguments;
    arguments.field = "showcase";
    arguments.world = "octree:2048";
    arguments.out = {(folder / "world.glb").string()};
    arguments.preview = (folder / "world.png").string();
    arguments.preview_lods = (folder / "lods.png").string();
    arguments.json = (folder / "report.json").string();
    arguments.check = true;
    return check_bake(arguments);
}

void mesh_r3(const BakeTools& tools, Demo& demo) {
    const BakeOptions options = r3_options();
    std::array<BakeOutcome, kRuns> runs;
    for (std::size_t run = 0; run < kRuns; ++run) {
        runs[run] = run_bake(options, tools);
        demo.r3_seconds[run] = runs[run].seconds.to_mesh();
    }
    std::sort(runs.begin(), runs.end(),
              [](const BakeOutcome& a, const BakeOutcome& b) { return a.seconds.to_mesh() < b.seconds.to_mesh(); });
    demo.r3 = std::move(runs[kRuns / 2]);
}

std::uint64_t hash_alone(const BakeTools& tools) {
    BakeOptions options = r3_options();
    options.simd = terrain::SimdTarget::scalar;
    Pool alone(1);
    return hash_of_world(options, {alone, tools.files, tools.progress, tools.stop_token});
}

std::string simd_text(const std::string& name) {
    if (name == "scalar") return name;
    std::string text = name == "avx512" ? "avx-512" : name;
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return text;
}

std::string this_program() {
    std::error_code failure;
    const fs::path program = fs::read_symlink("/proc/self/exe", failure);
    const fs::path near = failure ? fs::path() : fs::proximate(program, failure);
    return failure || near.empty() ? "quarry" : near.string();
}

std::string format_demo(const Demo& demo, const BakeOptions& showcase, const Look& look) {
    const BakeOutcome& r3 = demo.r3;
    const terrain::WorldCounts& counts = r3.counts;
    const auto head = [&](const char* name) { return look.strong(fmt::format("{:<10}", name)); };
    std::string text =
        fmt::format("{}{} chunks: {} by bounds, {} by sampling, {} surface\n", head("World"), grouped(counts.total),
                    grouped(counts.rejected), grouped(counts.sampled_empty), grouped(counts.surface));
    text += fmt::format("{:10}{} vertices, {} triangles in {:.2f} s on {} core{}\n", "", in_millions(r3.vertices),
                        in_millions(r3.triangles), r3.seconds.to_mesh(), r3.threads, r3.threads == 1 ? "" : "s");
    const std::string equal =
        demo.hashes_are_equal() ? "equal on 1 worker and scalar" : look.bad("NOT equal on 1 worker and scalar");
    text += fmt::format("{:10}workers {}   {}   hash {}.. ({})\n", "", shares_text(r3), simd_text(r3.simd),
                        hash_text(r3.hash).substr(0, kHashDigits), equal);
    const std::string cracks = cracks_text(*demo.showcase.closedness);
    text += fmt::format("{}{} chunks, {} LODs, {}, {:.2f} s\n", head("Showcase"), grouped(demo.showcase.counts.surface),
                        demo.showcase.levels(), demo.showcase.closedness->is_closed() ? cracks : look.bad(cracks),
                        demo.showcase.seconds.to_mesh());
    text += fmt::format("{}{}  {}     {}  {} ({:.0f} MB; Blender, Godot)\n", head("Look at"), showcase.preview,
                        showcase.preview_lods, look.strong("Open"), showcase.outputs[0].path,
                        static_cast<double>(demo.showcase.files[0].bytes) / 1e6);
    return text + fmt::format("{}{} bake --seed 7 --preview seven.png\n", head("Try"), this_program());
}

std::string demo_json(const Demo& demo, const BakeOptions& showcase, const bench::Machine& machine) {
    nlohmann::ordered_json json = report_head("quarry demo", machine);
    json["options"] = {{"r3_world", bake_options_json(r3_options())}, {"showcase", bake_options_json(showcase)}};
    json["r3_world"] = bake_figures_json(demo.r3);
    json["r3_world"]["seconds_of_runs"] = demo.r3_seconds;
    json["r3_world"]["hash_on_1_worker_scalar"] = hash_text(demo.hash_alone);
    json["showcase"] = bake_figures_json(demo.showcase);
    return json.dump(2) + "\n";
}

int show(const BakeOptions& showcase, OutputFiles& files, std::stop_token stop_token) {
    const bench::Machine machine = bench::describe_machine();
    Demo demo;
    {
        Pool pool;
        Progress progress;
        BakeTools tools{pool, files, progress, std::move(stop_token)};
        mesh_r3(tools, demo);
        // Seconds of one thread, and nothing is measured any more: beside the pictures.
        std::future<std::uint64_t> hash;
        tools.before_drawing = [&] { hash = std::async(std::launch::async, [&] { return hash_alone(tools); }); };
        demo.showcase = run_bake(showcase, tools);
        demo.hash_alone = hash.get();
    }
    files.write(showcase.json, [&](std::ostream& out) { out << demo_json(demo, showcase, machine); });
    files.commit();
    fmt::print("{}{}", preview::picture_text(*demo.showcase.picture, preview::TerminalLook::of(stdout)),
               format_demo(demo, showcase, Look::of(stdout)));
    return demo.is_good() ? 0 : kFailed;
}

struct DemoArguments {
    std::string folder = "out";
};

void declare_demo(Options& options, DemoArguments& arguments) {
    options.word("folder", arguments.folder, "Folder for its files (default: out)");
}

int run_demo(const DemoArguments& arguments) {
    const std::string& folder = arguments.folder;
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure) throw WrongInput(fmt::format("demo {}: {}", in_quotes(folder), failure.message()));
    OutputFiles files;
    return run_interruptible(files, [&](std::stop_token stop_token) {
        const BakeOptions showcase = showcase_options(folder);
        add_outputs(showcase, files, stop_token);
        return show(showcase, files, std::move(stop_token));
    });
}

}  // namespace

// What ./run shows: the benchmark world in memory, then the showcase in files below the folder.
template <>
Command command<struct DemoCommand>() {
    return make_command("demo", "Mesh the benchmark world, bake and draw the showcase, check both", declare_demo,
                        run_demo);
}

}  // namespace quarry::app
