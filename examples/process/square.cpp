// The host and its workers in one program: with the argument "worker" it is a worker.
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>

// [begin includes]
#include <quarry/process/engine.hpp>
#include <quarry/process/worker.hpp>
// [end includes]

namespace {

int serve_squares() {
    // [begin worker]
    quarry::process::Registry handlers;
    handlers.add("square", [](quarry::process::JobContext& job) {
        int number = 0;
        std::memcpy(&number, job.payload().data(), sizeof number);
        number *= number;
        job.reply(std::as_bytes(std::span(&number, 1)));
    });
    return quarry::process::serve(handlers);
    // [end worker]
}

}  // namespace

int main(int count, char** words) {
    if (count > 1 && std::string_view(words[1]) == "worker") return serve_squares();

    // [begin host]
    quarry::process::EngineOptions options;
    options.workers = 2;
    options.command = {words[0], "worker"};
    quarry::process::Engine engine(options);

    for (int i = 1; i <= 10; ++i) {
        const auto submitted = engine.submit("square", std::as_bytes(std::span(&i, 1)));
        if (!submitted) std::printf("%s\n", describe(submitted.refusal));  // submit never waits
    }
    engine.drain(std::chrono::steady_clock::now() + std::chrono::seconds(10));

    int sum = 0;
    for (const quarry::process::Result& result : engine.poll()) {
        if (result.status != quarry::process::Status::ok) continue;  // result.text says what happened
        int square = 0;
        std::memcpy(&square, result.payload.bytes().data(), sizeof square);
        sum += square;
    }
    // [end host]
    std::printf("sum %d\n", sum);
    return sum == 385 ? 0 : 1;
}
