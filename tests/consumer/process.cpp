// Uses the installed layer process: the host and its worker in one program.
#include <cstdio>
#include <string_view>

#include <quarry/process/engine.hpp>
#include <quarry/process/handlers.hpp>
#include <quarry/process/worker.hpp>

int main(int count, char** words) {
    using namespace quarry::process;
    if (count > 1 && std::string_view(words[1]) == "worker") {
        Registry handlers;
        add_builtin_handlers(handlers);
        return serve(handlers);
    }
    EngineOptions options;
    options.workers = 1;
    options.command = {words[0], "worker"};
    Engine engine(options);
    engine.submit("echo", "installed");
    engine.drain(std::chrono::steady_clock::now() + std::chrono::seconds(10));
    const auto results = engine.poll();
    const bool right = results.size() == 1 && results[0].payload.text() == "installed";
    if (!right) std::puts("the worker did not answer");
    return right ? 0 : 1;
}
