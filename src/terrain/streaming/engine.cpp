#include "terrain/streaming/engine.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "quarry/jobs/error.hpp"
#include "quarry/terrain/field.hpp"
#include "terrain/content_hasher.hpp"
#include "terrain/options.hpp"
#include "terrain/streaming/journaled_jobs.hpp"
#include "terrain/world/distance.hpp"
#include "terrain/world/limits.hpp"

namespace quarry::terrain::streaming {
namespace {

constexpr double kMostRoots = 100'000;

void check_count(const char* option, std::size_t value, std::size_t low, std::size_t high) {
    impl::require_range(option, static_cast<double>(value), static_cast<double>(low), static_cast<double>(high));
}

bool is_finite(const Position& at) {
    return std::isfinite(at.x) && std::isfinite(at.y) && std::isfinite(at.z);
}

void check_viewers(std::span<const Viewer> viewers, const StreamerOptions& options) {
    if (viewers.size() > Streamer::kMostViewers) {
        throw std::invalid_argument("there are " + std::to_string(viewers.size()) + " viewers; at most " +
                                    std::to_string(Streamer::kMostViewers) + " are allowed");
    }
    for (const Viewer& viewer : viewers) {
        if (!is_finite(viewer.position)) throw std::invalid_argument("a viewer's position is not finite");
        if (!is_finite(viewer.direction)) throw std::invalid_argument("a viewer's direction is not finite");
        const double room =
            2 * (options.radius / options.lattice.voxel_size) + 4 * std::ldexp(options.cells, options.max_lod);
        for (const double at : impl::on_lattice(viewer.position, options.lattice)) {
            impl::check_reach(std::abs(at) + room);
        }
    }
}

LatticePlace unit(const Position& direction) {
    const double length = std::hypot(direction.x, direction.y, direction.z);
    if (length == 0) return {};
    return {direction.x / length, direction.y / length, direction.z / length};
}

double angle_cosine(const Position& a, const Position& b) {
    const LatticePlace u = unit(a);
    const LatticePlace v = unit(b);
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

std::shared_ptr<const MeshSource> make_source(std::shared_ptr<const Field> field, const StreamerOptions& options) {
    auto source = std::make_shared<MeshSource>();
    source->field = std::move(field);
    source->materials = options.materials;
    source->extract = {.cells = options.cells, .lattice = options.lattice, .materials = source->materials.get()};
    source->prepare = options.prepare;
    return source;
}

}  // namespace

void check(const StreamerOptions& options) {
    impl::require_cells(options.cells);
    impl::check_voxel_size(options.lattice.voxel_size);
    impl::check_size("radius", options.radius);
    impl::check_size("lod_distance", options.lod_distance);
    impl::require_range("hysteresis", options.hysteresis, 0, kMostHysteresis);
    for (const double along : {options.lattice.origin.x, options.lattice.origin.y, options.lattice.origin.z}) {
        impl::require_range("origin", along, -impl::kLargestWorld, impl::kLargestWorld);
    }
    impl::require_range("max_lod", options.max_lod, 0, kCoarsestLod);
    check_count("pending", options.pending, 128, 65'536);
    impl::require_range("view_weight", options.view_weight, 0, 10);
    impl::require_range("look_ahead", options.look_ahead, 0, 600);
    impl::require_range("fade", options.fade, 0, 60);
    impl::require_range("edit_wait", options.edit_wait, 0, 1);
    if (options.lane == Lane::host) throw std::invalid_argument("lane is host; a lane of workers is needed");
    // Roots of the octree are kept one by one, whatever the field is like.
    const double across = 2 * options.radius * (1 + options.hysteresis) / options.lattice.voxel_size /
                          std::ldexp(options.cells, options.max_lod);
    if (std::pow(across, 3) > kMostRoots) {
        throw std::invalid_argument("radius is " + std::to_string(options.radius) + ", which is " +
                                    std::to_string(across) + " chunks of the coarsest level across; at most " +
                                    std::to_string(std::cbrt(kMostRoots)) + " are allowed");
    }
    impl::check_reach(options.radius / options.lattice.voxel_size);
}

Engine::Engine(std::unique_ptr<MeshJobs> jobs, std::shared_ptr<const Field> field, const StreamerOptions& options)
    : options_(options), host_(options.host ? *options.host : HostGuard()), journal_(options.journal) {
    if (field == nullptr) throw std::invalid_argument("a streamer needs a field");
    check(options);
    if (journal_.records()) jobs = std::make_unique<RecordedJobs>(std::move(jobs), journal_);
    if (journal_.replays()) jobs = std::make_unique<ReplayedJobs>(std::move(jobs), journal_);
    shared_.jobs = std::move(jobs);
    shared_.most_pending = options.pending;
    shared_.on_error = options.on_error;
    shared_.table.set_log(options.on_transition);
    world_ = new_world(std::move(field), options, true);
}

std::unique_ptr<World> Engine::new_world(std::shared_ptr<const Field> field, const StreamerOptions& options,
                                         bool visible) {
    return std::make_unique<World>(shared_, ++last_world_, make_source(std::move(field), options), options, visible);
}

std::chrono::nanoseconds Engine::now() const noexcept {
    return options_.clock == nullptr ? std::chrono::steady_clock::now().time_since_epoch()
                                     : options_.clock->now().time_since_epoch();
}

void Engine::update(std::span<const Viewer> viewers) {
    host_.assert_host("Streamer::update");
    if (delivering_) throw Error("Streamer::update was called inside a delivery");
    check_viewers(viewers, next_ != nullptr ? next_->options() : world_->options());
    shared_.table.set_update(++shared_.stats.updates);
    world_->begin_frame();
    if (next_ != nullptr) next_->begin_frame();
    shared_.stats.last_update = {};
    shared_.laps.begin(options_.timed);
    take_outcomes();
    shared_.laps.end(shared_.stats.last_update.results);
    if (!viewers.empty()) place_viewers(viewers);
    if (!viewers_.empty()) follow_viewers();
    shared_.jobs->tell_workers();
    shared_.laps.end(shared_.stats.last_update.changes);
    wait_for_edits(next_ != nullptr ? *next_ : *world_);
}

void Engine::follow_viewers() {
    World& followed = next_ != nullptr ? *next_ : *world_;
    if (!news_.empty()) {
        begin_edits(followed);
        shared_.laps.end(shared_.stats.last_update.changes);
    }
    followed.update(places_in(followed));
    reorder_requests();
}

// Where a viewer will be if it goes on as it came, for as long as it is the same one.
void Engine::place_viewers(std::span<const Viewer> viewers) {
    predicted_.assign(viewers.begin(), viewers.end());
    if (viewers.size() == viewers_.size()) {
        for (std::size_t i = 0; i < viewers.size(); ++i) {
            const Position& from = viewers_[i].position;
            const Position& to = viewers[i].position;
            const Position step{to.x - from.x, to.y - from.y, to.z - from.z};
            // A jump says nothing of what comes next.
            if (std::hypot(step.x, step.y, step.z) > options_.lod_distance) continue;
            predicted_[i].position = {to.x + step.x * options_.look_ahead, to.y + step.y * options_.look_ahead,
                                      to.z + step.z * options_.look_ahead};
        }
    }
    viewers_.assign(viewers.begin(), viewers.end());
}

std::vector<ViewerPlace> Engine::places_in(const World& world) const {
    std::vector<ViewerPlace> places;
    for (std::size_t i = 0; i < viewers_.size(); ++i) {
        const Lattice& lattice = world.options().lattice;
        places.push_back({impl::on_lattice(viewers_[i].position, lattice),
                          impl::on_lattice(predicted_[i].position, lattice), unit(viewers_[i].direction)});
    }
    return places;
}

// Requests that wait are ranked anew when somebody has moved by half a chunk or turned by some 10 degrees.
void Engine::reorder_requests() {
    constexpr double kTurned = 0.985;
    const double far = options_.cells * options_.lattice.voxel_size / 2;
    bool moved = viewers_.size() != ordered_for_.size();
    for (std::size_t i = 0; i < viewers_.size() && !moved; ++i) {
        const Position& a = viewers_[i].position;
        const Position& b = ordered_for_[i].position;
        moved = std::hypot(a.x - b.x, a.y - b.y, a.z - b.z) > far ||
                (viewers_[i].direction != ordered_for_[i].direction &&
                 angle_cosine(viewers_[i].direction, ordered_for_[i].direction) < kTurned);
    }
    if (!moved) return;
    ordered_for_ = viewers_;
    if (shared_.jobs->queued() == 0) return;
    shared_.jobs->reorder([&](const MeshJob& job) {
        const World* const world = world_of(shared_.table[job.id.slot].world);
        if (job.urgent) return kUrgentRank;
        return world == nullptr ? 0 : world->rank(job.rank_key, job.rank_factor);
    });
}

World* Engine::world_of(std::uint32_t number) noexcept {
    if (world_->number() == number) return world_.get();
    return next_ != nullptr && next_->number() == number ? next_.get() : nullptr;
}

void Engine::exchange(std::shared_ptr<const Field> field, StreamerOptions options) {
    host_.assert_host("Streamer::exchange");
    if (delivering_) throw Error("Streamer::exchange was called inside a delivery");
    if (exchanged_ != 0) throw Error("Streamer::exchange: the exchange before has to be delivered to its end first");
    if (field == nullptr) field = std::exchange(edited_field_, nullptr);
    news_ = {};
    if (field == nullptr) field = (next_ != nullptr ? *next_ : *world_).source()->field;
    options.host = options_.host;
    options.clock = options_.clock;
    options.journal = options_.journal;
    options.lane = options_.lane;
    options.pending = options_.pending;
    check(options);
    check_viewers(viewers_, options);
    std::unique_ptr<World> next = new_world(std::move(field), options, false);
    world_->freeze();
    if (next_ != nullptr) next_->give_up();
    next_ = std::move(next);
    shared_.on_error = options.on_error;
    shared_.table.set_log(options.on_transition);
    if (!viewers_.empty()) next_->update(places_in(*next_));
    shared_.jobs->tell_workers();
}

void Engine::set_edit_wait(double seconds) {
    host_.assert_host("Streamer::set_edit_wait");
    impl::require_range("edit_wait", seconds, 0, 1);
    options_.edit_wait = seconds;
}

bool Engine::ready_around(const Position& position, double radius) const {
    host_.assert_host("Streamer::ready_around");
    if (!news_.empty() || world_->swap().alive) return false;
    if (next_ != nullptr || !is_finite(position) || !(radius >= 0)) return false;
    const Lattice& lattice = world_->options().lattice;
    return world_->ready_around(impl::on_lattice(position, lattice), radius / lattice.voxel_size);
}

bool Engine::at_rest() const {
    return next_ == nullptr && news_.empty() && world_->at_rest() && shared_.releases.empty();
}

StreamerStats Engine::stats() const {
    StreamerStats stats = shared_.stats;
    stats.in_state = shared_.table.counts();
    stats.transitions = shared_.table.transitions();
    stats.queued = shared_.jobs->queued();
    stats.releases_waiting = shared_.releases.size();
    for (const World* world : {world_.get(), next_.get()}) {
        if (world == nullptr) continue;
        stats.nodes += world->nodes();
        stats.tree_bytes += world->tree_bytes();
        stats.looked_at += world->looked_at();
        stats.changes_waiting += world->waiting();
        stats.groups += world->groups();
        stats.cache_hits += world->cache().hits();
        stats.cache_misses += world->cache().misses();
        stats.cached_bytes += world->cache().bytes();
    }
    return stats;
}

// Not of what depends on workers alone: how many requests they have begun, before that was noticed.
std::uint64_t Engine::state_hash() const {
    impl::ContentHasher hasher;
    for (std::uint32_t slot = 0; slot < shared_.table.slots(); ++slot) {
        const ChunkRecord& record = shared_.table[slot];
        hasher.add(std::uint64_t{record.generation} << 8 | static_cast<std::uint64_t>(record.state));
        if (record.state == ChunkState::retired) continue;
        hasher.add(record.key);
        hasher.add(std::uint64_t{record.mask} << 8 | (record.has_mesh ? 1u : 0u) | (record.failed ? 2u : 0u) |
                   (record.in_swap ? 4u : 0u));
        hasher.add(std::uint64_t{record.world} << 32 | record.group);
    }
    for (const std::uint32_t chunk : shared_.releases) hasher.add(std::uint64_t{chunk});
    const StreamerStats all = stats();
    for (const std::uint64_t number : {all.updates,
                                       std::uint64_t{all.nodes},
                                       std::uint64_t{all.changes_waiting},
                                       std::uint64_t{all.groups},
                                       all.requested,
                                       all.cancelled,
                                       all.meshed,
                                       all.used,
                                       all.stale,
                                       all.rebaked,
                                       all.baked_again,
                                       all.baked_by_host,
                                       all.failed,
                                       all.edit_swaps,
                                       all.edit_chunks,
                                       all.edits_shown,
                                       all.edits_in_frame,
                                       all.edits_late,
                                       all.edits_held,
                                       all.groups_shown,
                                       all.uploads,
                                       all.cache_hits,
                                       all.cache_misses,
                                       std::uint64_t{all.cached_bytes},
                                       shared_.last_group}) {
        hasher.add(number);
    }
    return hasher.value();
}

ShownWorld Engine::shown() const {
    ShownWorld shown;
    world_->list_shown(shown);
    return shown;
}

}  // namespace quarry::terrain::streaming
