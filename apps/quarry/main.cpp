#include <exception>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <quarry/version.hpp>

#include "commands.hpp"
#include "jobs/own_engines.hpp"
#include "tools/input.hpp"

namespace {

using quarry::app::BakeArguments;
using quarry::app::BenchFrameArguments;
using quarry::app::BenchJobsArguments;
using quarry::app::BenchTerrainArguments;
using quarry::app::StressArguments;
using quarry::app::SyncArguments;

// An empty word would look as if the option had not been given.
std::string refuse_empty(const std::string& word) {
    return word.empty() ? "takes a value that is not empty" : "";
}

// Adds options to a command: words, which the command itself understands or refuses.
auto adder_of(CLI::App& command) {
    return [&command](const char* name, auto& value, const char* text, const char* type) {
        command.add_option(name, value, text)->option_text(type)->check(refuse_empty);
    };
}

void add_bench_jobs(CLI::App& bench, BenchJobsArguments& arguments) {
    CLI::App* jobs = bench.add_subcommand("jobs", "Measure fork and join, loops, sorting, waking and idling");
    jobs->add_option("--filter", arguments.filter, "Only the row of that name, or rows whose name holds it")
        ->option_text("NAME");
    const auto add = adder_of(*jobs);
    add("--workers", arguments.workers, "Only this number of workers (default: 1, 2 and all cores)", "N");
    jobs->add_flag("--peers", arguments.peers,
                   "Also measure oneTBB, OpenMP, std::async, rayon, chili, forte, bevy_tasks");
    jobs->add_flag("--quick", arguments.quick, "A run of seconds: all cores, few repetitions, with explanations");
    add("--runs", arguments.runs, "Repetitions (default: 7; quick: 3, and 1 of the long rows)", "N");
    add("--json", arguments.json, "Write a machine-readable report; - is the standard output", "FILE");
    add("--trace", arguments.trace,
        "Also measure Quarry with a trace on, and write that: a timeline for ui.perfetto.dev", "FILE");
    jobs->add_flag("--list", arguments.list, "List the rows and what they measure");
}

void add_bench_frame(CLI::App& bench, BenchFrameArguments& arguments) {
    CLI::App* frame = bench.add_subcommand("frame", "Measure what a frame costs the host's thread");
    frame->add_option("--filter", arguments.filter, "Only rows whose name holds it")->option_text("NAME");
    const auto add = adder_of(*frame);
    add("--runs", arguments.runs, "Repetitions (default: 9)", "N");
    add("--json", arguments.json, "Write a machine-readable report; - is the standard output", "FILE");
}

void add_bench_terrain(CLI::App& bench, BenchTerrainArguments& arguments) {
    CLI::App* terrain = bench.add_subcommand("terrain", "Measure fields, meshing and whole worlds");
    const auto add = adder_of(*terrain);
    add("--filter", arguments.filter, "Only the row of that name, or rows whose name holds it", "NAME");
    add("--workers", arguments.workers, "Only this number of workers (default: 1, 2 and all cores)", "N");
    add("--runs", arguments.runs, "Repetitions (default: 5)", "N");
    add("--simd", arguments.simd, "Only this instruction set (default: the best one, beside the others)", "TARGET");
    add("--json", arguments.json, "Write a machine-readable report; - is the standard output", "FILE");
    terrain->add_flag("--peers", arguments.peers, "Also measure the Rust crates transvoxel, noise and rayon");
    terrain->add_flag("--list", arguments.list, "List the rows and what they measure");
}

void add_stress(CLI::App& app, StressArguments& arguments) {
    CLI::App* stress =
        app.add_subcommand("stress", "The burst test: submit as fast as the queue takes jobs, and grade");
    const auto add = adder_of(*stress);
    add("--duration", arguments.duration, "How long jobs are submitted (default: 5)", "SECONDS");
    add("--workers", arguments.workers, "Worker threads (default: 4)", "N");
    add("--queue", arguments.queue, "Jobs that may wait (default: 10000)", "N");
    add("--job", arguments.job, "compute_heavy (default), sleep or mixed", "KIND");
    add("--rules", arguments.rules, "How latency is graded: strict (default) or lenient", "RULES");
    add("--poll", arguments.poll, "Collect results while jobs are submitted (default), or after", "WHEN");
    add("--backend", arguments.backend, "What runs the jobs: threads", "BACKEND");
    add("--require", arguments.require, "End with status 1 below this grade: A, B, C or F", "GRADE");
    add("--json", arguments.json, "Write a machine-readable report; - is the standard output", "FILE");
}

void add_sync(CLI::App& app, SyncArguments& arguments) {
    CLI::App* sync =
        app.add_subcommand("sync", "Frame sync: play a host at a fixed rate, and grade how late results are");
    sync->add_option("--scenario", arguments.scenarios,
                     "BASELINE, LIGHT, MEDIUM, HEAVY, BURST or CATCHUP (default: all)")
        ->option_text("NAME ...")
        ->check(refuse_empty);
    const auto add = adder_of(*sync);
    add("--hertz", arguments.hertz, "Frames a second: 30 (default; soak: 60), 60 or 120", "RATE");
    add("--render", arguments.render, "CPU time that the host's thread spends on each picture (default: 4)", "MS");
    add("--workers", arguments.workers, "Worker threads (default: one for each usable core)", "N");
    add("--seed", arguments.seed, "Of the lengths of the jobs (default: 1)", "N");
    add("--soak", arguments.soak, "Instead of scenarios: bursts and stalls for so long, checking all that must hold",
        "SECONDS");
    add("--require", arguments.require, "End with status 1 if a scenario is below this grade: A, B or F", "GRADE");
    add("--json", arguments.json, "Write a machine-readable report; - is the standard output", "FILE");
}

void add_bake(CLI::App& app, BakeArguments& arguments) {
    CLI::App* bake = app.add_subcommand("bake", "Mesh a world of chunks, write it to files, draw it");
    const auto add = adder_of(*bake);
    add("--field", arguments.field, "showcase (default), noise, or a description of a field", "FIELD|FILE.json");
    add("--seed", arguments.seed, "Of the noise or the showcase (default: 42)", "N");
    add("--octaves", arguments.octaves, "Of the noise (default: 4)", "N");
    add("--frequency", arguments.frequency, "Waves of the first octave per unit (default: 0.02)", "F");
    add("--amplitude", arguments.amplitude, "Most that the noise raises the ground, in units (default: 32)", "UNITS");
    add("--offset", arguments.offset, "Height of the noise's middle (default: 0)", "UNITS");
    add("--lacunarity", arguments.lacunarity, "Frequency of an octave over the one before (default: 2)", "F");
    add("--persistence", arguments.persistence, "Strength of an octave over the one before (default: 0.5)", "F");
    add("--world", arguments.world, "sphere:RADIUS, box:X,Y,Z or octree:RADIUS, in units (default: octree:2048)",
        "WORLD");
    add("--viewer", arguments.viewer, "Where an octree is finest (default: 0,0,0)", "X,Y,Z");
    add("--lod-distance", arguments.lod_distance, "How far LOD 0 reaches; each further one twice as far (default: 128)",
        "UNITS");
    add("--max-lod", arguments.max_lod, "The coarsest level of an octree, 0 to 7 (default: 7)", "N");
    add("--lod", arguments.lod, "The level of detail of a sphere or box, 0 to 7 (default: 0)", "N");
    add("--chunk-cells", arguments.chunk_cells, "Cells along each axis of a chunk, even, 4 to 62 (default: 32)", "N");
    add("--voxel-size", arguments.voxel_size, "Width of a cell of LOD 0, in units (default: 1)", "UNITS");
    add("--threads", arguments.threads, "Worker threads (default: one for each usable core)", "N");
    add("--simd", arguments.simd, "scalar, sse4, avx2, avx512 or neon (default: the best there is)", "TARGET");
    add("--out", arguments.out, "Write a file: .glb, .obj, .ply or .stl; can be given several times", "FILE ...");
    bake->add_flag("--welded", arguments.welded, "Write one mesh, with vertices shared across chunks");
    bake->add_flag("--collision", arguments.collision, "Write positions and triangles only");
    bake->add_flag("--check", arguments.check, "Look for cracks at every edge of every triangle; any is status 1");
    add("--preview", arguments.preview, "Draw the world", "FILE.png");
    add("--preview-lods", arguments.preview_lods, "Draw its triangles, coloured by level of detail", "FILE.png");
    add("--json", arguments.json, "Write a machine-readable report; - is the standard output", "FILE");
}

int report_wrong_input(const std::string& message) {
    fmt::print(stderr, "quarry: {}\n", quarry::app::one_line(message));
    return quarry::app::kWrongInput;
}

int run(int count, char** words) {
    CLI::App app{"Quarry: a parallel engine for programs that live by frames", "quarry"};
    app.set_version_flag("--version", fmt::format("quarry {}", quarry::kVersion));
    app.require_subcommand(1);
    CLI::App* bench = app.add_subcommand("bench", "Benchmarks, against bare baselines and other engines");
    bench->require_subcommand(1);
    BenchJobsArguments bench_jobs;
    add_bench_jobs(*bench, bench_jobs);
    BenchFrameArguments bench_frame;
    add_bench_frame(*bench, bench_frame);
    BenchTerrainArguments bench_terrain;
    add_bench_terrain(*bench, bench_terrain);
    StressArguments stress;
    add_stress(app, stress);
    SyncArguments sync;
    add_sync(app, sync);
    BakeArguments bake;
    add_bake(app, bake);
    // What ./run does.
    CLI::App* demo = app.add_subcommand("demo", "Mesh R3's world, bake and draw the showcase, check both");
    std::string demo_folder = "out";
    demo->add_option("folder", demo_folder, "Where its files go (default: out)")->check(refuse_empty);
    // How the benchmark starts an engine in a process of its own; not for people.
    CLI::App* engine = app.add_subcommand("engine", "")->group("");
    std::string engine_name;
    engine->add_option("name", engine_name)->required();

    try {
        app.parse(count, words);
    } catch (const CLI::ParseError& failure) {
        if (failure.get_exit_code() == 0) return app.exit(failure);
        return report_wrong_input(std::string(failure.what()) + "; see quarry --help");
    }
    if (engine->parsed()) return quarry::bench::serve_own_engine(engine_name);
    if (app.got_subcommand("bake")) return quarry::app::bake(bake);
    if (demo->parsed()) return quarry::app::demo(demo_folder);
    if (app.got_subcommand("stress")) return quarry::app::stress(stress);
    if (app.got_subcommand("sync")) return quarry::app::sync(sync);
    if (bench->got_subcommand("frame")) return quarry::app::bench_frame(bench_frame);
    if (bench->got_subcommand("terrain")) return quarry::app::bench_terrain(bench_terrain);
    return quarry::app::bench_jobs(bench_jobs);
}

}  // namespace

int main(int count, char** words) {
    try {
        return run(count, words);
    } catch (const quarry::app::WrongInput& failure) {
        return report_wrong_input(failure.what());
    } catch (const std::exception& failure) {
        fmt::print(stderr, "quarry: {}\n", failure.what());
        return quarry::app::kFailed;
    }
}
