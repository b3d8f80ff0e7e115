#include "command.hpp"

#include <cstdio>
#include <new>
#include <ostream>

#include <fmt/format.h>
#include <quarry/jobs/pool.hpp>

#include "bake/arguments.hpp"
#include "bake/report.hpp"
#include "bake/run.hpp"
#include "harness/machine.hpp"
#include "tools/input.hpp"
#include "tools/interrupt.hpp"
#include "tools/report_file.hpp"

namespace quarry::app {
namespace {

int bake_and_report(const BakeOptions& options, OutputFiles& files, std::stop_token stop_token) {
    const bench::Machine machine = bench::describe_machine();
    std::FILE* out = options.json == "-" ? stderr : stdout;
    BakeOutcome outcome;
    {
        Pool pool(options.threads);
        Progress progress;
        outcome = run_bake(options, {pool, files, progress, std::move(stop_token)});
    }
    const std::string report = bake_json(outcome, options, machine);
    if (!options.json.empty() && options.json != "-") {
        files.write(options.json, [&](std::ostream& to) { to << report; });
    }
    // Before the files: where it is not taken, there must be none of them.
    if (options.json == "-") ReportFile("--json", "-").write(report);
    files.commit();
    fmt::print(out, "{}", format_bake(outcome, options, machine, Look::of(out)));
    return outcome.closedness && !outcome.closedness->is_closed() ? kFailed : 0;
}

int bake(const BakeArguments& arguments) {
    try {
        // Files are read outside what can be interrupted gently: a pipe that nobody writes to would keep it waiting.
        const BakeOptions options = check_bake(arguments);
        OutputFiles files;
        return run_interruptible(files, [&](std::stop_token stop_token) {
            add_outputs(options, files, stop_token);
            return bake_and_report(options, files, std::move(stop_token));
        });
    } catch (const std::bad_alloc&) {
        throw WrongInput("--world " + in_quotes(arguments.world) + ": there is not enough memory for it");
    }
}

}  // namespace

template <>
Command command<struct BakeCommand>() {
    return make_command("bake", "Mesh a world of chunks, write it to files, draw it", declare_bake, bake);
}

}  // namespace quarry::app
