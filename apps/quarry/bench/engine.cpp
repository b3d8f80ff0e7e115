#include "command.hpp"
#include "jobs/own_engines.hpp"

namespace quarry::app {
namespace {

struct EngineArguments {
    std::string name;
};

void declare_engine(Options& options, EngineArguments& arguments) {
    options.word("name", arguments.name, "", true);
}

int serve_engine(const EngineArguments& arguments) {
    return bench::serve_own_engine(arguments.name);
}

}  // namespace

// How the benchmark starts an engine in a process of its own.
template <>
Command command<struct ServeEngineCommand>() {
    Command engine = make_command("engine", "", declare_engine, serve_engine);
    engine.hidden = true;
    return engine;
}

}  // namespace quarry::app
