#include "command.hpp"

#include <cstdlib>

#include <fmt/format.h>
#include <quarry/process/worker.hpp>

#include "process/handlers.hpp"

namespace quarry::app {
namespace {

struct WorkerArguments {
    bool list = false;
};

void declare_worker(Options& options, WorkerArguments& arguments) {
    options.flag("--list", arguments.list, "List the handlers");
}

int worker(const WorkerArguments& arguments) {
    process::Registry registry;
    add_program_handlers(registry);
    if (arguments.list) {
        for (const std::string& name : registry.names()) fmt::print("{}\n", name);
        return 0;
    }
    if (std::getenv("QUARRY_CHANNEL") == nullptr) {  // NOLINT(concurrency-mt-unsafe): nobody sets it
        throw WrongInput("a worker is started by an engine, which sets QUARRY_CHANNEL; --list shows what it can do");
    }
    return process::serve(registry);
}

}  // namespace

template <>
Command command<struct WorkerCommand>() {
    return make_command("worker", "Serve the jobs of an engine in another process", declare_worker, worker);
}

}  // namespace quarry::app
