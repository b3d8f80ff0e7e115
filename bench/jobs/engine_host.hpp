#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "jobs/engine_interface.hpp"
#include "jobs/rows/context.hpp"
#include "jobs/rows/list.hpp"
#include "jobs/rows/table.hpp"

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
        const char* lack = nullptr;
        visit_row(row, [&]<class Row>(const Row& found) {
            if (!Row::template can_run_on<E>) lack = found.lack;
        });
        return lack != nullptr ? lack : E::unsupported(row, workers);
    }

  private:
    void measure(std::string_view row, RowContext& context) override {
        const bool caller_apart = find_row(row)->caller_apart;
        if (engine_ == nullptr || workers_ != context.workers || caller_apart_ != caller_apart) {
            engine_.reset();
            engine_ = std::make_unique<E>(context.workers, caller_apart);
            workers_ = context.workers;
            caller_apart_ = caller_apart;
        }
        visit_row(row, [&]<class Row>(const Row& found) {
            if constexpr (Row::template can_run_on<E>) {
                found.measure(*engine_, context);
            } else {
                throw std::runtime_error("this engine " + std::string(found.lack));
            }
        });
    }

    std::unique_ptr<E> engine_;
    int workers_ = 0;
    bool caller_apart_ = false;
};

// Serves requests until the end; returns the exit status.
int serve(EngineHost& host);

}  // namespace quarry::bench
