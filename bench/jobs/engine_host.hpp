#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "jobs/engine_interface.hpp"
#include "jobs/rows/channel.hpp"
#include "jobs/rows/context.hpp"
#include "jobs/rows/fork.hpp"
#include "jobs/rows/frames.hpp"
#include "jobs/rows/lanes.hpp"
#include "jobs/rows/list.hpp"
#include "jobs/rows/loops.hpp"
#include "jobs/rows/matmul.hpp"
#include "jobs/rows/submit.hpp"
#include "jobs/rows/then.hpp"
#include "jobs/rows/wake.hpp"

// An engine runs in a process of its own and answers requests on its standard input, so that its threads, memory
// and CPU time never touch another engine's figures:
//
//   run ROW WORKERS quick|full   ->  value NAME UNIT NUMBER | samples NAME UNIT NUMBER... (any number of lines), then
//                                    done | unsupported REASON | error TEXT
//   release                      ->  done; the row's data is freed
//   trace PATH                   ->  done | error TEXT; a traced engine writes there what it has recorded
//   quit, or end of file         ->  the process ends
namespace quarry::bench {

// Workers are threads that compute at the same time, the calling one included; in rows whose caller only hands over
// they are threads beside it.
template <class E>
class EngineHostOf : public EngineHost {
  public:
    const char* unsupported(std::string_view row, int workers) const override {
        if (row == "channel" && !kHasChannel) return "has no channel";
        if (row == "then" && !kHasContinuations) return "has no continuations";
        if (row == "lanes" && !kHasLanes) return "has no lanes";
        return E::unsupported(row, workers);
    }

    void run(std::string_view row, RowContext& context) override {
        const RowInfo* const info = find_row(row);
        const bool caller_apart = info != nullptr && info->caller_apart;
        if (engine_ == nullptr || workers_ != context.workers || caller_apart_ != caller_apart) {
            engine_.reset();
            engine_ = std::make_unique<E>(context.workers, caller_apart);
            workers_ = context.workers;
            caller_apart_ = caller_apart;
        }
        run_on(*engine_, row, context);
    }

  private:
    static constexpr bool kHasChannel = requires { typename E::Channel; };
    static constexpr bool kHasContinuations = requires(E & engine) { engine.then_chain(kThenLinks); };
    static constexpr bool kHasLanes = requires { typename E::Lanes; };

    static void run_on(E& engine, std::string_view row, RowContext& context) {
        if (row == "fib") return run_fib(engine, context);
        if (row == "tree_sum") return run_tree_sum(engine, context);
        if (row == "nqueens") return run_nqueens(engine, context);
        if (row == "uts") return run_uts(engine, context);
        if (row == "skynet") return run_skynet(engine, context);
        if (row == "matmul") return run_matmul(engine, context);
        if (row == "loop_small") return run_loop_small(engine, context);
        if (row == "loop_large") return run_loop_large(engine, context);
        if (row == "loop_skewed") return run_loop_skewed(engine, context);
        if (row == "sort") return run_sort(engine, context);
        if (row == "spawn") return run_spawn(engine, context);
        if (row == "flood") return run_flood(engine, context);
        if (row == "submit_wait") return run_submit_wait(engine, context);
        if (row == "wake") return run_wake(engine, context);
        if (row == "tick") return run_tick(engine, context);
        if (row == "burst60") return run_burst60(engine, context);
        if (row == "idle") return run_idle(engine, context);
        if constexpr (kHasChannel) {
            if (row == "channel") return run_channel<typename E::Channel>(context);
        }
        if constexpr (kHasContinuations) {
            if (row == "then") return run_then(engine, context);
        }
        if constexpr (kHasLanes) {
            if (row == "lanes") return run_lanes<typename E::Lanes>(context);
        }
        throw std::runtime_error("no such row: " + std::string(row));
    }

    std::unique_ptr<E> engine_;
    int workers_ = 0;
    bool caller_apart_ = false;
};

// Serves requests until the end; returns the exit status.
int serve(EngineHost& host);

}  // namespace quarry::bench
