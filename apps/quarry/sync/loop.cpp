#include "sync/loop.hpp"

#include <sstream>

#include <quarry/frame/frame_clock.hpp>

namespace quarry::app {
namespace {

using std::chrono::nanoseconds;

class Loop {
  public:
    Loop(const std::vector<FrameLoad>& load, const LoopOptions& options, SyncHost& host)
        : load_(load), options_(options), host_(host), clock_(options.hertz, kMaxCatchUp), ledger_(book(options)) {
        clock_.advance(host_.now());
        last_return_ = host_.now();
    }

    Playback run() {
        while (step_ < load_.size() || (out_ != 0 && host_.now() - last_return_ < options_.patience)) turn();
        Playback playback;
        playback.stats = ledger_.stats();
        playback.twice = twice_;
        playback.cut_short = cut_short_;
        std::ostringstream json;
        ledger_.write_json(json);
        playback.ledger = json.str();
        return playback;
    }

  private:
    static FrameLedgerOptions book(const LoopOptions& options) {
        FrameLedgerOptions book;
        book.hertz = options.hertz;
        book.stale = StalePolicy::drop_older_than(kStaleFrames);
        return book;
    }

    void turn() {
        if (step_ < load_.size() && options_.stop_token.stop_requested()) {
            cut_short_ = true;
            step_ = load_.size();
            stalled_ = step_;
        }
        host_.wait_until(clock_.next_step());
        stall();
        const FrameSteps due = clock_.advance(host_.now());
        ledger_.note(due);
        for (int step = 0; step < due.steps; ++step) {
            ledger_.begin_frame(host_.now());
            submit_step();
        }
        if (due.steps == 0) return;
        host_.render(options_.render);
        const auto budget = std::chrono::duration_cast<nanoseconds>(clock_.period() / options_.delivery_part);
        host_.wait_until(clock_.next_step() - budget);
        host_.deliver(budget, [this](std::uint64_t id) { apply(id); });
        ledger_.end_frame(host_.now());
    }

    // The stalls of all steps up to the one that is due now, so that a turn of several steps skips none.
    void stall() {
        nanoseconds length{};
        for (; stalled_ <= step_ && stalled_ < load_.size(); ++stalled_) length += load_[stalled_].stall;
        if (length > nanoseconds::zero()) host_.wait_until(host_.now() + length);
    }

    void submit_step() {
        if (step_ < load_.size()) {
            for (const nanoseconds length : load_[step_].jobs) {
                tags_.push_back(ledger_.submitted());
                back_.push_back(false);
                host_.submit(length, tags_.size() - 1);
                ++out_;
            }
        }
        ++step_;
        if (options_.steps != nullptr && step_ <= load_.size()) ++*options_.steps;
    }

    void apply(std::uint64_t id) {
        last_return_ = host_.now();
        if (back_.at(id)) {
            ++twice_;
            return;
        }
        back_[id] = true;
        --out_;
        // What a host would do with it is not what is measured.
        static_cast<void>(ledger_.returned(tags_[id]));
    }

    const std::vector<FrameLoad>& load_;
    LoopOptions options_;
    SyncHost& host_;
    FrameClock clock_;
    FrameLedger ledger_;
    std::size_t step_ = 0;
    std::size_t stalled_ = 0;
    bool cut_short_ = false;
    std::vector<FrameTag> tags_;
    std::vector<bool> back_;
    std::uint64_t out_ = 0;
    std::uint64_t twice_ = 0;
    SyncHost::time_point last_return_;
};

}  // namespace

SyncFigures Playback::figures() const {
    return {stats.mean_latency(), static_cast<double>(stats.latency_max), stats.stale_percent() / 100,
            stats.outstanding() == 0 && twice == 0};
}

Playback play(const std::vector<FrameLoad>& load, const LoopOptions& options, SyncHost& host) {
    return Loop(load, options, host).run();
}

}  // namespace quarry::app
