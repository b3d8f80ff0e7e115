#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <quarry/jobs/error.hpp>
#include <quarry/terrain/world_file_tools.hpp>

#include "command.hpp"
#include "tools/input.hpp"
#include "tools/interrupt.hpp"
#include "tools/report_file.hpp"
#include "tools/terminal.hpp"
#include "world/export.hpp"
#include "world/report.hpp"

namespace quarry::app {
namespace {

struct WorldArguments {
    std::string file;
    std::string other;
    std::string json;
};

// A file that cannot be read is wrong input.
template <class Work>
auto on_file(Work&& work) -> decltype(work()) {
    try {
        return work();
    } catch (const Error& error) {
        throw WrongInput(one_line(error.what()));
    }
}

void print(ReportFile& report, const std::string& text, const std::string& json) {
    report.write(json);
    fmt::print(report.for_people(), "{}", text);
}

void declare_world_file(Options& options, WorldArguments& arguments) {
    options.word("FILE", arguments.file, "A file of edits", true);
    options.json(arguments.json);
}

void declare_world_diff(Options& options, WorldArguments& arguments) {
    options.word("ONE", arguments.file, "A file of edits", true);
    options.word("OTHER", arguments.other, "Another one", true);
    options.json(arguments.json);
}

void declare_world_compact(Options& options, WorldArguments& arguments) {
    options.word("FILE", arguments.file, "A file of edits that no program is writing", true);
}

int world_info(const WorldArguments& arguments) {
    ReportFile report("--json", arguments.json);
    const terrain::WorldFileInfo info = on_file([&] { return terrain::world_file_info(arguments.file); });
    print(report, format_info(arguments.file, info), info_json(arguments.file, info));
    return 0;
}

int world_check(const WorldArguments& arguments) {
    ReportFile report("--json", arguments.json);
    const terrain::WorldFileCheck check = on_file([&] { return terrain::check_world_file(arguments.file); });
    print(report, format_check(arguments.file, check), check_json(arguments.file, check));
    return check.problems.empty() ? 0 : kFailed;
}

int world_diff(const WorldArguments& arguments) {
    ReportFile report("--json", arguments.json);
    const terrain::WorldFileDifference difference =
        on_file([&] { return terrain::diff_world_files(arguments.file, arguments.other); });
    print(report, format_difference(difference), difference_json(arguments.file, arguments.other, difference));
    return difference.any() ? kFailed : 0;
}

int world_compact(const WorldArguments& arguments) {
    const terrain::WorldFileSizes sizes = on_file([&] { return terrain::compact_world_file(arguments.file); });
    fmt::print("{}: {} bytes, before {}\n", arguments.file, grouped(sizes.after), grouped(sizes.before));
    return 0;
}

void declare_world_export(Options& options, WorldExportArguments& arguments) {
    options.word("FILE", arguments.file, "A file of edits", true);
    declare_field(options, arguments.field);
    options.seed("--ground", arguments.ground,
                 "The number that the file has for this field, if another program made it (default: quarry's own)");
    declare_outputs(options, arguments);
    options.json(arguments.json);
}

int world_export(const WorldExportArguments& arguments) {
    ReportFile report("--json", arguments.json);
    OutputFiles files;
    return run_interruptible(files, [&](const std::stop_token& stop_token) {
        const WorldExportOutcome outcome = export_world(arguments, files, stop_token);
        files.commit();
        print(report, format_export(outcome), export_json(arguments, outcome));
        return 0;
    });
}

}  // namespace

template <>
Command command<struct WorldInfoCommand>() {
    return make_command("world info", "Show what a file of edits holds", declare_world_file, world_info);
}
template <>
Command command<struct WorldCheckCommand>() {
    return make_command("world check", "Check all of a file of edits; exit status 1 if it is damaged",
                        declare_world_file, world_check);
}
template <>
Command command<struct WorldDiffCommand>() {
    return make_command("world diff", "Compare two files of edits; exit status 1 if they differ", declare_world_diff,
                        world_diff);
}
template <>
Command command<struct WorldExportCommand>() {
    return make_command("world export", "Write the edited parts of a world as meshes", declare_world_export,
                        world_export);
}
template <>
Command command<struct WorldCompactCommand>() {
    return make_command("world compact", "Rewrite a file of edits without gaps", declare_world_compact, world_compact);
}

}  // namespace quarry::app
