#include "fly/flight.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include <quarry/jobs/error.hpp>
#include <quarry/terrain/streamer_journal.hpp>

#include "fly/strokes.hpp"
#include "tools/cpu_work.hpp"

namespace quarry::app {
namespace {

using FlightClock = std::chrono::steady_clock;

constexpr std::size_t kMostReserved = 100'000;  // frames: whoever wants a day of them may stop early

double milliseconds_since(FlightClock::time_point start) {
    return std::chrono::duration<double, std::milli>(FlightClock::now() - start).count();
}

double microseconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double, std::micro>(time).count();
}

double distance_between(const terrain::Position& a, const terrain::Position& b) {
    return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

class Flight {
  public:
    Flight(Pool& pool, const FlyOptions& options, const std::stop_token& stop_token, const FlyWatcher& watcher)
        : options_(options),
          pool_(pool),
          stop_token_(stop_token),
          watcher_(watcher),
          host_(CpuWork::calibrate(), options.upload_us, !options.video.empty()),
          edits_(pool, options),
          journal_(journal_for(options)),
          streamer_(pool, edits_.field(), streamer_options()) {
        outcome_.checked = options.check;
    }

    FlyOutcome run() {
        const PoolStats before = pool_.stats();
        if (options_.replayed != nullptr) {
            fly_again(*options_.replayed);
        } else {
            arrive();
            outcome_.start = streamer_.stats();
            fly();
            come_to_rest();
        }
        finish();
        outcome_.stopped = stop_token_.stop_requested();
        outcome_.worker_shares = pool_.stats().since(before).shares();
        return std::move(outcome_);
    }

  private:
    static std::unique_ptr<terrain::StreamerJournal> journal_for(const FlyOptions& options) {
        using Mode = terrain::StreamerJournal::Mode;
        if (!options.records && options.replayed == nullptr) return nullptr;
        return std::make_unique<terrain::StreamerJournal>(options.records ? Mode::record : Mode::replay);
    }

    terrain::StreamerOptions streamer_options() const {
        terrain::StreamerOptions options = edits_.streamer_options();
        options.journal = journal_.get();
        options.timed = true;
        return options;
    }

    std::vector<terrain::Viewer> viewers_at(double seconds) const {
        std::vector<terrain::Viewer> viewers;
        for (int i = 0; i < options_.viewers; ++i) {
            const double ahead = options_.path.seconds() * i / options_.viewers;
            terrain::Viewer viewer = options_.path.at(seconds + ahead);
            if (options_.turns && static_cast<std::int64_t>(seconds) % 2 == 1) {
                viewer.direction = {-viewer.direction.x, -viewer.direction.y, -viewer.direction.z};
            }
            viewers.push_back(viewer);
        }
        return viewers;
    }

    bool is_around(const std::vector<terrain::Viewer>& viewers, double radius) const {
        return std::all_of(viewers.begin(), viewers.end(), [&](const terrain::Viewer& viewer) {
            return streamer_.ready_around(viewer.position, radius);
        });
    }

    // As on a loading screen: what is there is taken every millisecond.
    void arrive() {
        const std::vector<terrain::Viewer> viewers = viewers_at(0);
        const double ring = options_.streamer.cells * options_.streamer.lattice.voxel_size;
        std::vector<double> distances;
        const FlightClock::time_point start = FlightClock::now();
        while (outcome_.closed_ms == 0 && !stop_token_.stop_requested()) {
            edits_.bring(streamer_, viewers, outcome_);
            one_frame({.stage = FlyStage::arrival, .viewers = viewers}, [&](const terrain::StreamEvent& event) {
                if (event.kind == terrain::StreamEvent::Kind::upload) note_distance(viewers, event.key, distances);
            });
            if (outcome_.first_ring_ms == 0 && is_around(viewers, ring)) {
                outcome_.first_ring_ms = milliseconds_since(start);
            }
            if (outcome_.complete_ms == 0 && is_around(viewers, options_.streamer.radius)) {
                outcome_.complete_ms = milliseconds_since(start);
            }
            if (streamer_.at_rest() && edits_.is_complete()) outcome_.closed_ms = milliseconds_since(start);
            note_depths();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        count_inversions(distances);
    }

    void note_distance(const std::vector<terrain::Viewer>& viewers, const terrain::ChunkKey& key,
                       std::vector<double>& distances) const {
        const terrain::Lattice& lattice = options_.streamer.lattice;
        const double width = std::ldexp(options_.streamer.cells, key.lod);
        const terrain::Position middle{(key.x + 0.5) * width * lattice.voxel_size + lattice.origin.x,
                                       (key.y + 0.5) * width * lattice.voxel_size + lattice.origin.y,
                                       (key.z + 0.5) * width * lattice.voxel_size + lattice.origin.z};
        double least = std::numeric_limits<double>::infinity();
        for (const terrain::Viewer& viewer : viewers) {
            least = std::min(least, distance_between(viewer.position, middle));
        }
        distances.push_back(least);
    }

    void count_inversions(const std::vector<double>& distances) {
        double nearest_later = std::numeric_limits<double>::infinity();
        for (std::size_t i = distances.size(); i-- > 0;) {
            if (nearest_later < distances[i] / 2) ++outcome_.inversions;
            nearest_later = std::min(nearest_later, distances[i]);
        }
    }

    void fly() {
        const bool real_time = options_.video.empty();
        const auto period =
            std::chrono::duration_cast<FlightClock::duration>(std::chrono::duration<double>(1 / options_.hertz));
        const auto count = static_cast<std::size_t>(std::llround(options_.seconds * options_.hertz));
        outcome_.frames.reserve(std::min(count, kMostReserved));
        FlightClock::time_point next = FlightClock::now();
        for (std::size_t frame = 1; frame <= count && !stop_token_.stop_requested(); ++frame) {
            next += period;
            if (real_time) std::this_thread::sleep_until(next);
            const double seconds = static_cast<double>(frame) / options_.hertz;
            const std::vector<terrain::Viewer> viewers = viewers_at(seconds);
            edits_.bring(streamer_, viewers, outcome_);
            edits_.make(streamer_, seconds, frame, outcome_);
            outcome_.frames.push_back(one_frame({.stage = FlyStage::flight, .seconds = seconds, .viewers = viewers}));
            note_depths();
            if (watcher_) watcher_({frame, seconds, viewers.front(), streamer_, host_, outcome_.frames.back()});
            if (!real_time) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }

    // One update and one delivery; in flight within the budget. What they depended on goes into the log.
    template <class OnEvent>
    FlyFrame one_frame(LoggedFrame logged, const OnEvent& on_event) {
        const bool in_flight = logged.stage == FlyStage::flight;
        const std::size_t number = outcome_.frames.size() + (in_flight ? 1 : 0);
        FlyFrame frame;
        events_ = {};
        const std::uint64_t uploads = host_.uploads();
        const FlightClock::time_point start = FlightClock::now();
        const std::chrono::nanoseconds cpu = thread_cpu_time();
        streamer_.update(logged.viewers);
        frame.update_us = microseconds(thread_cpu_time() - cpu);
        const double update_wall_us = microseconds(FlightClock::now() - start);
        note_parts(frame);
        note_planned();
        // What planning has taken is not left for the hand-over.
        const double left = std::max(0.0, options_.budget_ms * 1e3 - update_wall_us) * 0.97;
        const DeliveryBudget budget =
            in_flight ? DeliveryBudget(std::chrono::duration<double, std::micro>(left)) : DeliveryBudget::everything();
        const FlightClock::time_point updated = FlightClock::now();
        const std::chrono::nanoseconds updated_cpu = thread_cpu_time();
        streamer_.inbox().deliver(budget, [&](terrain::StreamEvent& event) {
            on_event(event);
            if (journal_) events_.add(event);
            edits_.note(event, number, outcome_);
            host_(event);
        });
        frame.deliver_us = microseconds(thread_cpu_time() - updated_cpu);
        frame.wall_us = update_wall_us + microseconds(FlightClock::now() - updated);
        frame.uploads = static_cast<std::size_t>(host_.uploads() - uploads);
        if (in_flight && frame.total_us() > options_.budget_ms * 1e3) ++outcome_.over_budget;
        check();
        if (options_.records) log_frame(std::move(logged));
        return frame;
    }
    FlyFrame one_frame(LoggedFrame logged) {
        return one_frame(std::move(logged), [](const terrain::StreamEvent&) {});
    }

    void log_frame(LoggedFrame frame) {
        frame.edits = edits_.take_log();
        frame.journal = journal_->take();
        frame.states = streamer_.state_hash();
        frame.events = events_.value();
        outcome_.log.frames.push_back(std::move(frame));
    }

    void come_to_rest() {
        const std::vector<terrain::Viewer> viewers = viewers_at(options_.seconds);
        const FlightClock::time_point start = FlightClock::now();
        while (!streamer_.at_rest() && !stop_token_.stop_requested() && milliseconds_since(start) < 20'000) {
            edits_.bring(streamer_, viewers, outcome_);
            one_frame({.stage = FlyStage::rest, .seconds = options_.seconds, .viewers = viewers});
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

    void fly_again(const FlightLog& log) {
        for (const LoggedFrame& frame : log.frames) {
            if (stop_token_.stop_requested()) return;
            if (frame.stage == FlyStage::flight && outcome_.frames.empty()) outcome_.start = streamer_.stats();
            std::string what = repeat(frame);
            if (!what.empty()) {
                outcome_.difference = {outcome_.replayed + 1, frame.stage, frame.seconds, std::move(what)};
                return;
            }
            ++outcome_.replayed;
            note_depths();
            if (!watcher_ || frame.stage != FlyStage::flight) continue;
            watcher_({outcome_.frames.size(), frame.seconds, frame.viewers.front(), streamer_, host_,
                      outcome_.frames.back()});
        }
        if (edits_.content_hash() == log.ground) return;
        const LoggedFrame& last = log.frames.back();
        outcome_.difference = {log.frames.size(), last.stage, last.seconds, "the edited ground is another one"};
    }

    // What is not as it was; empty: nothing.
    std::string repeat(const LoggedFrame& frame) {
        if (!frame.is_intact) return "the log is not as it was written";
        if (frame.viewers.empty()) return "it has no viewer";
        try {
            const bool in_flight = frame.stage == FlyStage::flight;
            edits_.repeat(streamer_, frame.edits, outcome_.frames.size() + 1, outcome_);
            journal_->give(frame.journal);
            const FlyFrame flown =
                one_frame({.stage = frame.stage, .seconds = frame.seconds, .viewers = frame.viewers});
            if (in_flight) outcome_.frames.push_back(flown);
        } catch (const Error& error) {
            return error.what();
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        if (!journal_->is_used_up()) return "less happens than was recorded";
        if (streamer_.state_hash() != frame.states) return "chunks are in other states";
        return events_.value() != frame.events ? "other meshes or events are handed over" : "";
    }

    void finish() {
        // Those before the flight are from the file.
        outcome_.edits_in_frame = streamer_.stats().edits_in_frame - outcome_.start.edits_in_frame;
        outcome_.edits_late = streamer_.stats().edits_late - outcome_.start.edits_late;
        edits_.finish(outcome_);
        outcome_.end = streamer_.stats();
        outcome_.ended_at_rest = streamer_.at_rest();
        if (!options_.records) return;
        FlightLog& log = outcome_.log;
        log.field = options_.field_name;
        log.has_edits = options_.dig || !options_.save.empty();
        log.radius = options_.streamer.radius;
        log.lod_distance = options_.streamer.lod_distance;
        log.hysteresis = options_.streamer.hysteresis;
        log.max_lod = options_.streamer.max_lod;
        log.hertz = options_.hertz;
        log.budget_ms = options_.budget_ms;
        log.ground = edits_.content_hash();
    }

    void note_parts(FlyFrame& frame) const {
        const terrain::UpdateCost cost = streamer_.stats().last_update;
        frame.results_us = microseconds(cost.results);
        frame.plan_us = microseconds(cost.plan);
        frame.changes_us = microseconds(cost.changes);
    }

    void note_planned() {
        if (options_.check) planned_ = streamer_.shown();
    }

    void check() {
        if (!options_.check) return;
        const terrain::ShownWorld world = streamer_.shown();
        const terrain::ShownCheck found = check_shown(world, planned_);
        outcome_.most_surrounded = std::max(outcome_.most_surrounded, found.surrounded);
        std::string what = found.first;
        if (what.empty()) what = host_.difference_to(world);
        if (what.empty()) what = host_.first_mistake();
        if (what.empty()) return;
        ++outcome_.holes;
        if (outcome_.first_hole.empty()) outcome_.first_hole = what;
    }

    void note_depths() {
        const terrain::StreamerStats stats = streamer_.stats();
        outcome_.deepest_queue = std::max(outcome_.deepest_queue, stats.queued);
        outcome_.most_groups = std::max(outcome_.most_groups, stats.groups);
        outcome_.most_mesh_bytes = std::max(outcome_.most_mesh_bytes, host_.bytes());
        outcome_.most_tree_bytes = std::max(outcome_.most_tree_bytes, stats.tree_bytes);
    }

    const FlyOptions& options_;
    Pool& pool_;
    const std::stop_token& stop_token_;
    const FlyWatcher& watcher_;
    HeadlessHost host_;
    Strokes edits_;
    std::unique_ptr<terrain::StreamerJournal> journal_;  // of flights that are logged, or flown again
    terrain::Streamer streamer_;
    EventHash events_;             // of the last frame
    terrain::ShownWorld planned_;  // what was shown after the last update
    FlyOutcome outcome_;
};

}  // namespace

double FlyOutcome::percentile(double share, double (*of)(const FlyFrame&)) const {
    if (frames.empty()) return 0;
    std::vector<double> values;
    for (const FlyFrame& frame : frames) values.push_back(of(frame));
    std::sort(values.begin(), values.end());
    const auto index = static_cast<std::size_t>(std::llround(share * static_cast<double>(values.size() - 1)));
    return values[std::min(index, values.size() - 1)];
}

double FlyOutcome::mean(double FlyFrame::*part) const {
    double sum = 0;
    for (const FlyFrame& frame : frames) sum += frame.*part;
    return frames.empty() ? 0 : sum / static_cast<double>(frames.size());
}

double FlyOutcome::most(double FlyFrame::*part) const {
    double most = 0;
    for (const FlyFrame& frame : frames) most = std::max(most, frame.*part);
    return most;
}

double FlyOutcome::edit_percentile(double share, double FlyEdit::*figure) const {
    if (edits.empty()) return 0;
    std::vector<double> values;
    for (const FlyEdit& edit : edits) values.push_back(edit.*figure);
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(std::llround(share * static_cast<double>(values.size() - 1)))];
}

// Of what was meshed in flight.
double FlyOutcome::wasted_share() const {
    const std::uint64_t meshed = end.meshed - start.meshed;
    const std::uint64_t used = end.used - start.used;
    return meshed > used ? static_cast<double>(meshed - used) / static_cast<double>(meshed) : 0;
}

FlyOutcome run_flight(Pool& pool, const FlyOptions& options, const std::stop_token& stop_token,
                      const FlyWatcher& watcher) {
    return Flight(pool, options, stop_token, watcher).run();
}

}  // namespace quarry::app
