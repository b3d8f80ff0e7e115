#include "fly/flight.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>

#include "fly/strokes.hpp"
#include "tools/cpu_work.hpp"

namespace quarry::app {
namespace {

using FlightClock = std::chrono::steady_clock;

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
          streamer_(pool, edits_.field(), edits_.streamer_options()) {
        outcome_.checked = options.check;
    }

    FlyOutcome run() {
        const PoolStats before = pool_.stats();
        arrive();
        outcome_.start = streamer_.stats();
        fly();
        come_to_rest();
        outcome_.end = streamer_.stats();
        outcome_.stopped = stop_token_.stop_requested();
        outcome_.worker_shares = pool_.stats().since(before).shares();
        return std::move(outcome_);
    }

  private:
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
            edits_.bring(streamer_, viewers);
            streamer_.update(viewers);
            note_planned();
            streamer_.inbox().deliver(DeliveryBudget::everything(), [&](terrain::StreamEvent& event) {
                if (event.kind == terrain::StreamEvent::Kind::upload) note_distance(viewers, event.key, distances);
                edits_.note(event, 0, outcome_);
                host_(event);
            });
            check();
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
        outcome_.frames.reserve(count);
        FlightClock::time_point next = FlightClock::now();
        for (std::size_t frame = 1; frame <= count && !stop_token_.stop_requested(); ++frame) {
            next += period;
            if (real_time) std::this_thread::sleep_until(next);
            const double seconds = static_cast<double>(frame) / options_.hertz;
            const std::vector<terrain::Viewer> viewers = viewers_at(seconds);
            edits_.bring(streamer_, viewers);
            edits_.make(streamer_, seconds, frame, outcome_);
            outcome_.frames.push_back(one_frame(viewers));
            check();
            note_depths();
            if (watcher_) watcher_({frame, seconds, viewers.front(), streamer_, host_, outcome_.frames.back()});
            if (!real_time) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }

    FlyFrame one_frame(const std::vector<terrain::Viewer>& viewers) {
        FlyFrame frame;
        const std::uint64_t uploads = host_.uploads();
        const FlightClock::time_point start = FlightClock::now();
        const std::chrono::nanoseconds cpu = thread_cpu_time();
        streamer_.update(viewers);
        frame.update_us = microseconds(thread_cpu_time() - cpu);
        const double update_wall_us = microseconds(FlightClock::now() - start);
        note_planned();
        // What planning has taken is not left for the hand-over.
        const double left = std::max(0.0, options_.budget_ms * 1e3 - update_wall_us) * 0.97;
        const FlightClock::time_point updated = FlightClock::now();
        const std::chrono::nanoseconds updated_cpu = thread_cpu_time();
        streamer_.inbox().deliver(std::chrono::duration<double, std::micro>(left), [&](terrain::StreamEvent& event) {
            edits_.note(event, outcome_.frames.size() + 1, outcome_);
            host_(event);
        });
        frame.deliver_us = microseconds(thread_cpu_time() - updated_cpu);
        frame.wall_us = update_wall_us + microseconds(FlightClock::now() - updated);
        frame.uploads = static_cast<std::size_t>(host_.uploads() - uploads);
        if (frame.total_us() > options_.budget_ms * 1e3) ++outcome_.over_budget;
        return frame;
    }

    void come_to_rest() {
        const std::vector<terrain::Viewer> viewers = viewers_at(options_.seconds);
        const FlightClock::time_point start = FlightClock::now();
        while (!streamer_.at_rest() && !stop_token_.stop_requested() && milliseconds_since(start) < 20'000) {
            edits_.bring(streamer_, viewers);
            streamer_.update(viewers);
            note_planned();
            streamer_.inbox().deliver(DeliveryBudget::everything(), [&](terrain::StreamEvent& event) {
                edits_.note(event, outcome_.frames.size(), outcome_);
                host_(event);
            });
            check();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        // Those before the flight are from the file.
        outcome_.edits_in_frame = streamer_.stats().edits_in_frame - outcome_.start.edits_in_frame;
        outcome_.edits_late = streamer_.stats().edits_late - outcome_.start.edits_late;
        edits_.finish(outcome_);
        outcome_.ended_at_rest = streamer_.at_rest();
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
    terrain::Streamer streamer_;
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
