#include "command.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "bake/arguments.hpp"
#include "bake/fields.hpp"
#include "fly/flight.hpp"
#include "fly/live_view.hpp"
#include "fly/report.hpp"
#include "fly/video.hpp"
#include "harness/machine.hpp"
#include "tools/input.hpp"
#include "tools/interrupt.hpp"
#include "tools/output_files.hpp"
#include "tools/report_file.hpp"
#include "world/ground.hpp"

namespace quarry::app {
namespace {

struct FlyArguments {
    std::optional<std::string> field;
    std::string path = "demo";
    double seconds = 20;
    double hertz = 60;
    std::string budget = "2ms";
    std::optional<double> speed;
    double upload_us = 15;
    bool turns = false;
    int viewers = 1;
    int workers = 0;
    double radius = 1024;
    double lod_distance = 128;
    double hysteresis = 0.1;
    int max_lod = terrain::kCoarsestLod;
    bool check = false;
    bool dig = false;
    std::string save;
    std::string record;
    std::string replay;
    bool quiet = false;
    std::string video;
    double video_hertz = 15;
    int video_height = 360;
    bool video_lods = false;
    std::string json;
};

void declare_fly(Options& options, FlyArguments& arguments) {
    options.text("--field", arguments.field, "FIELD|FILE.json",
                 "showcase (default), noise, or a description of a field");
    options.text("--path", arguments.path, "demo|FILE", "demo (default), or a file with lines of seconds, x, y and z");
    options.real("--seconds", arguments.seconds, {0.1, 86'400}, "S", "Length of the flight (default: 20)");
    options.real("--hertz", arguments.hertz, {1, 1000}, "RATE", "Frames per second (default: 60)");
    options.text("--budget", arguments.budget, "TIME",
                 "For planning and hand-over per frame, such as 2ms or 500us (default: 2ms)");
    options.real("--speed", arguments.speed, {0.01, 100'000}, "UNITS",
                 "Of the demo flight, in units per second (default: 30)");
    options.real("--upload", arguments.upload_us, {0, 10'000}, "US",
                 "CPU time that the host spends on each mesh, in us (default: 15)");
    options.flag("--turns", arguments.turns, "Look back every other second");
    options.whole("--viewers", arguments.viewers, {1, static_cast<int>(terrain::Streamer::kMostViewers)}, "N",
                  "Viewers along the path (default: 1)");
    options.whole("--workers", arguments.workers, {1, Pool::kMostWorkers}, "N",
                  "Worker threads (default: one for each usable core)");
    options.real("--radius", arguments.radius, kLengths, "UNITS", "How far a viewer sees (default: 1024)");
    options.real("--lod-distance", arguments.lod_distance, kLengths, "UNITS",
                 "How far LOD 0 reaches; each further one twice as far (default: 128)");
    options.real("--hysteresis", arguments.hysteresis, {0, 0.4}, "SHARE",
                 "How much closer or further than that a level changes (default: 0.1)");
    options.whole("--max-lod", arguments.max_lod, {0, terrain::kCoarsestLod}, "N", "The coarsest level (default: 7)");
    options.flag("--dig", arguments.dig,
                 "Dig strokes into the ground ahead of the first viewer, and report how soon they show");
    options.text("--save", arguments.save, "FILE", "Keep edits in a file, and show the edits that are already in it");
    options.text("--record", arguments.record, "FILE",
                 "Log viewers, edits, time and deliveries of each frame, for --replay");
    options.text("--replay", arguments.replay, "FILE", "Repeat a recorded flight; exit status 1 if a frame differs");
    options.flag("--check", arguments.check,
                 "Check every frame for holes and overlaps; exit status 1 if there are any");
    options.flag("--quiet", arguments.quiet, "No live view, even on a terminal");
    options.text("--video", arguments.video, "DIR", "Draw the flight as PNG files in a folder");
    options.real("--video-hertz", arguments.video_hertz, {0.01, 120}, "RATE", "Pictures per second (default: 15)");
    options.whole("--video-height", arguments.video_height, {16, 4320}, "PIXELS",
                  "Height of the pictures, which are 16:9 (default: 360)");
    options.flag("--video-lods", arguments.video_lods, "Colour the pictures by level of detail");
    options.json(arguments.json);
}

// In milliseconds.
double checked_budget(const std::string& text) {
    const bool micro = text.ends_with("us");
    const bool milli = text.ends_with("ms");
    const std::string number = micro || milli ? text.substr(0, text.size() - 2) : text;
    const double value = real_number("--budget", number, 0, micro ? 1e6 : 1e3);
    return micro ? value / 1e3 : value;
}

// What a log has is not typed as well.
void refuse_beside_replay(const FlyArguments& arguments) {
    const FlyArguments usual;
    const std::array<std::pair<const char*, bool>, 14> typed{{
        {"--path", arguments.path != usual.path},
        {"--seconds", arguments.seconds != usual.seconds},
        {"--hertz", arguments.hertz != usual.hertz},
        {"--budget", arguments.budget != usual.budget},
        {"--speed", arguments.speed.has_value()},
        {"--turns", arguments.turns},
        {"--viewers", arguments.viewers != usual.viewers},
        {"--radius", arguments.radius != usual.radius},
        {"--lod-distance", arguments.lod_distance != usual.lod_distance},
        {"--hysteresis", arguments.hysteresis != usual.hysteresis},
        {"--max-lod", arguments.max_lod != usual.max_lod},
        {"--dig", arguments.dig},
        {"--save", !arguments.save.empty()},
        {"--record", !arguments.record.empty()},
    }};
    for (const auto& [option, is_typed] : typed) {
        if (is_typed) {
            throw WrongInput(fmt::format("{} does not go with --replay, which flies what was recorded", option));
        }
    }
}

// The log has what the flight needs; another field can be named, to see where that differs.
FlyOptions check_replay(const FlyArguments& arguments) {
    refuse_beside_replay(arguments);
    auto log = std::make_shared<const FlightLog>(read_flight_log("--replay", arguments.replay));
    BakeArguments named;
    named.field = arguments.field.value_or(log->field);
    const terrain::Described described = checked_field(named, checked_noise(named));
    FlyOptions options{.field_name = named.field,
                       .described = described,
                       .streamer = {},
                       .path_name = arguments.replay,
                       .path = FlightPath::from_text("0 0 0 0", "")};
    options.seconds = log->frames.back().seconds;
    options.hertz = log->hertz;
    options.budget_ms = log->budget_ms;
    options.viewers = static_cast<int>(log->frames.back().viewers.size());
    options.dig = log->has_edits;
    options.streamer.radius = log->radius;
    options.streamer.lod_distance = log->lod_distance;
    options.streamer.hysteresis = log->hysteresis;
    options.streamer.max_lod = log->max_lod;
    options.replayed = std::move(log);
    return options;
}

FlyOptions check_new_flight(const FlyArguments& arguments) {
    BakeArguments named;
    named.field = arguments.field.value_or("showcase");
    const terrain::Described described = checked_field(named, checked_noise(named));
    const double speed = arguments.speed.value_or(30);
    if (arguments.path != "demo" && arguments.speed) throw WrongInput("--speed goes with --path demo only");
    FlyOptions options{.field_name = named.field,
                       .described = described,
                       .streamer = {},
                       .path_name = arguments.path,
                       .path = arguments.path == "demo" ? FlightPath::demo(*described.field, speed)
                                                        : FlightPath::from_file(arguments.path)};
    options.seconds = arguments.seconds;
    options.hertz = arguments.hertz;
    options.budget_ms = checked_budget(arguments.budget);
    options.speed = speed;
    options.turns = arguments.turns;
    options.viewers = arguments.viewers;
    options.dig = arguments.dig;
    options.records = !arguments.record.empty();
    options.save = arguments.save;
    if (!options.save.empty()) options.ground = ground_number(named, checked_noise(named), described);
    options.streamer.radius = arguments.radius;
    options.streamer.lod_distance = arguments.lod_distance;
    options.streamer.hysteresis = arguments.hysteresis;
    options.streamer.max_lod = arguments.max_lod;
    return options;
}

FlyOptions check_fly(const FlyArguments& arguments) {
    FlyOptions options = arguments.replay.empty() ? check_new_flight(arguments) : check_replay(arguments);
    options.streamer.materials = options.described.materials;
    options.upload_us = arguments.upload_us;
    options.workers = arguments.workers;
    options.check = arguments.check;
    options.video = arguments.video;
    options.video_hertz = arguments.video_hertz;
    options.video_height = arguments.video_height;
    options.video_lods = arguments.video_lods;
    return options;
}

void require_other_file(const char* option, const std::string& file, const std::string& record) {
    std::error_code ignored;
    const auto plain = [&](const std::string& path) { return std::filesystem::weakly_canonical(path, ignored); };
    const bool is_same = !file.empty() && (file == record || std::filesystem::equivalent(file, record, ignored) ||
                                           plain(file) == plain(record));
    if (is_same) throw WrongInput(fmt::format("--record {}: is the file that {} names too", in_quotes(record), option));
}

int fly_and_report(FlyOptions& options, const FlyArguments& arguments, ReportFile& report, ReportFile& record,
                   const std::stop_token& stop_token) {
    const bench::Machine machine = bench::describe_machine();
    std::FILE* out = record.is_standard_output() ? stderr : report.for_people();
    if (options.workers == 0) options.workers = machine.cores;
    Pool pool(options.workers);
    std::optional<Video> video;
    if (!options.video.empty()) video.emplace(pool, options);
    std::optional<LiveView> live;
    if (!arguments.quiet && !video && isatty(fileno(out)) != 0) {
        live.emplace(out, pool, options);
        options.streamer.on_transition = [&](const terrain::ChunkTransition& step) { live->note(step); };
    }
    FlyOutcome outcome;
    try {
        outcome = run_flight(pool, options, stop_token, [&](const FlyMoment& moment) {
            if (video) (*video)(moment);
            if (live) (*live)(moment);
        });
    } catch (const std::invalid_argument& refusal) {
        throw WrongInput(refusal.what());
    }
    live.reset();
    if (options.records) record.write(bytes_of(outcome.log));
    fmt::print(out, "{}", format_flight(outcome, options, machine, Look::of(out)));
    if (video) fmt::print(out, "{} pictures in {}\n", video->frames(), options.video);
    report.write(flight_json(outcome, options, machine));
    const bool is_saved = !outcome.file || outcome.file->problem.empty();
    const bool is_same = !outcome.difference;
    return outcome.holes != 0 || !outcome.ended_at_rest || !is_saved || !is_same ? kFailed : 0;
}

int fly(const FlyArguments& arguments) {
    FlyOptions options = check_fly(arguments);
    if (options.records) {
        require_other_file("--json", arguments.json, arguments.record);
        require_other_file("--save", arguments.save, arguments.record);
    }
    ReportFile report("--json", arguments.json);
    ReportFile record("--record", arguments.record);
    OutputFiles files;
    return run_interruptible(files, [&](const std::stop_token& stop_token) {
        return fly_and_report(options, arguments, report, record, stop_token);
    });
}

}  // namespace

template <>
Command command<struct FlyCommand>() {
    return make_command("fly", "Fly over a streamed world, without a window, and report", declare_fly, fly);
}

}  // namespace quarry::app
