// A frame loop: it submits jobs of this frame, and applies results of earlier ones within a budget.
#include <cstdio>
#include <string_view>
#include <thread>

#include <quarry/frame/frame_clock.hpp>
#include <quarry/frame/frame_ledger.hpp>
#include <quarry/process/engine.hpp>
#include <quarry/process/handlers.hpp>
#include <quarry/process/worker.hpp>

int main(int count, char** words) {
    using namespace std::chrono_literals;
    if (count > 1 && std::string_view(words[1]) == "worker") {
        quarry::process::Registry handlers;
        quarry::process::add_builtin_handlers(handlers);
        return quarry::process::serve(handlers);
    }

    // [begin docs]
    quarry::FrameLedger ledger({.hertz = 120, .stale = quarry::StalePolicy::drop_older_than(2)});
    quarry::process::EngineOptions options;
    options.workers = 2;
    options.command = {words[0], "worker"};
    options.ledger = &ledger;
    quarry::process::Engine engine(options);

    quarry::FrameClock clock(120);
    std::size_t applied = 0;
    while (clock.steps() < 30) {
        std::this_thread::sleep_until(clock.next_step());
        for (int step = clock.advance().steps; step > 0; --step) {
            ledger.begin_frame();
            engine.submit("echo", "what this frame needs",
                          {.frame = ledger.submitted(), .deadline = clock.next_step() + 1s});
            for (const quarry::process::Result& result : engine.poll(64, 2ms)) {
                if (result.status == quarry::process::Status::ok && result.apply) ++applied;
            }
            ledger.end_frame();
        }
    }
    // [end docs]
    std::printf("%zu results applied in %lld steps\n", applied, static_cast<long long>(clock.steps()));
    return applied > 0 ? 0 : 1;
}
