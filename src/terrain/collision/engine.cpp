#include "terrain/collision/engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "quarry/jobs/caller_goes_on.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/streamer_options.hpp"
#include "terrain/options.hpp"
#include "terrain/world/distance.hpp"
#include "terrain/world/limits.hpp"

namespace quarry::terrain::collision {
namespace {

constexpr double kMostChunksAway = 8;

void require_box(const Box& box) {
    const auto is_range = [](double low, double high) {
        return std::isfinite(low) && std::isfinite(high) && low <= high;
    };
    if (is_range(box.low.x, box.high.x) && is_range(box.low.y, box.high.y) && is_range(box.low.z, box.high.z)) return;
    throw std::invalid_argument("the box of an edit is not finite or upside down; low must not be above high");
}

// Of all triangles that can have changed: those in cells with a changed sample.
PlaceBox touched_by(const Box& changed, const Lattice& lattice) {
    PlaceBox box{impl::on_lattice(changed.low, lattice), impl::on_lattice(changed.high, lattice)};
    for (double& along : box.low) along = std::floor(along + 1e-6) - 1;
    for (double& along : box.high) along = std::ceil(along - 1e-6) + 1;
    return box;
}

// Without what they have on their sides only.
bool overlap(const PlaceBox& a, const PlaceBox& b) noexcept {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!(a.low[axis] < b.high[axis] && b.low[axis] < a.high[axis])) return false;
    }
    return true;
}

PlaceBox common(const PlaceBox& a, const PlaceBox& b) noexcept {
    PlaceBox both = a;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        both.low[axis] = std::max(a.low[axis], b.low[axis]);
        both.high[axis] = std::min(a.high[axis], b.high[axis]);
    }
    return both;
}

std::shared_ptr<const Source> first_source(std::shared_ptr<const Field> field, const CollisionOptions& options) {
    auto source = std::make_shared<Source>();
    source->number = 1;
    source->field = std::move(field);
    source->extract = {.cells = options.cells, .lattice = options.lattice};
    source->simplify = options.simplify;
    source->prepare = options.prepare;
    return source;
}

}  // namespace

void check(const CollisionOptions& options) {
    impl::require_cells(options.cells);
    impl::check_voxel_size(options.lattice.voxel_size);
    for (const double along : {options.lattice.origin.x, options.lattice.origin.y, options.lattice.origin.z}) {
        impl::require_range("origin", along, -impl::kLargestWorld, impl::kLargestWorld);
    }
    impl::check_size("radius", options.radius);
    const double most = kMostChunksAway * options.cells * options.lattice.voxel_size;
    if (options.radius > most) {
        throw std::invalid_argument("radius is " + std::to_string(options.radius) + "; at most " +
                                    std::to_string(most) + ", which is 8 chunks, is allowed");
    }
    impl::require_range("near", options.near, 0, options.radius);
    impl::require_range("wait", options.wait, 0, 1);
    impl::require_range("simplify", options.simplify, 0, 1);
    impl::require_range("most_chunks", static_cast<double>(options.most_chunks), 8, 1'048'576);
    impl::require_range("pending", static_cast<double>(options.pending), 8, 65'536);
    if (options.lane == Lane::host) throw std::invalid_argument("lane is host; a lane of workers is needed");
}

double PlaceBox::square_of_distance(const LatticePlace& from) const noexcept {
    double square = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double away = std::max({low[axis] - from[axis], from[axis] - high[axis], 0.0});
        square += away * away;
    }
    return square;
}

void PlaceBox::include(const PlaceBox& other) noexcept {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        low[axis] = std::min(low[axis], other.low[axis]);
        high[axis] = std::max(high[axis], other.high[axis]);
    }
}

Engine::Engine(std::unique_ptr<PatchJobs> jobs, std::shared_ptr<const Field> field, const CollisionOptions& options)
    : options_(options), host_(options.host ? *options.host : HostGuard()), jobs_(std::move(jobs)) {
    if (field == nullptr) throw std::invalid_argument("a collision world needs a field");
    check(options);
    source_ = first_source(std::move(field), options);
}

PlaceBox Engine::box_of(const ChunkKey& key) const noexcept {
    const double w = width();
    return {{key.x * w, key.y * w, key.z * w}, {key.x * w + w, key.y * w + w, key.z * w + w}};
}

double Engine::square_to(const PlaceBox& box, std::span<const LatticePlace> places) noexcept {
    double nearest = std::numeric_limits<double>::infinity();
    for (const LatticePlace& place : places) nearest = std::min(nearest, box.square_of_distance(place));
    return nearest;
}

bool Engine::is_near(const Chunk& chunk) const noexcept {
    const double near = options_.near / options_.lattice.voxel_size;
    return square_to(chunk.stale, bodies()) <= near * near;
}

void Engine::update(std::span<const Position> anchors, std::size_t bodies) {
    host_.assert_host("CollisionWorld::update");
    if (delivering_) throw Error("CollisionWorld::update was called inside a delivery");
    if (bodies > anchors.size()) {
        throw std::invalid_argument("there are " + std::to_string(bodies) + " bodies; at most the " +
                                    std::to_string(anchors.size()) + " anchors are allowed");
    }
    const bool must_plan = place_anchors(anchors);
    bodies_ = bodies;
    count_near_work();
    ++stats_.updates;
    take_outcomes();
    if (must_plan) plan();
    // Who is near, and nearest, changes with every step of an anchor.
    if (outstanding_ != 0 || must_queue_) queue_requests();
    wait_for_near(options_.wait);
}

void Engine::set_field(std::shared_ptr<const Field> field) {
    auto source = std::make_shared<Source>(*source_);
    ++source->number;
    source->field = std::move(field);
    source_ = std::move(source);
}

void Engine::edit(std::shared_ptr<const Field> field, std::span<const Box> changed) {
    host_.assert_host("CollisionWorld::edit");
    if (delivering_) throw Error("CollisionWorld::edit was called inside a delivery");
    if (field == nullptr) throw std::invalid_argument("CollisionWorld::edit needs a field");
    for (const Box& box : changed) require_box(box);
    count_near_work();
    set_field(std::move(field));
    for (const Box& box : changed) touch(touched_by(box, options_.lattice));
}

void Engine::exchange(std::shared_ptr<const Field> field) {
    host_.assert_host("CollisionWorld::exchange");
    if (delivering_) throw Error("CollisionWorld::exchange was called inside a delivery");
    if (field == nullptr) throw std::invalid_argument("CollisionWorld::exchange needs a field");
    count_near_work();
    set_field(std::move(field));
    constexpr double kFar = 4.0 * kLatticeLimit;
    touch({{-kFar, -kFar, -kFar}, {kFar, kFar, kFar}});
}

void Engine::touch(const PlaceBox& box) {
    const auto first = [&](std::size_t axis) { return std::floor(box.low[axis] / width()); };
    const auto count = [&](std::size_t axis) { return std::floor(box.high[axis] / width()) - first(axis) + 1; };
    if (count(0) * count(1) * count(2) > static_cast<double>(chunks_.size())) {
        for (auto& [key, chunk] : chunks_) touch(key, chunk, box);
        return;
    }
    const ChunkKey low{0, static_cast<std::int32_t>(first(0)), static_cast<std::int32_t>(first(1)),
                       static_cast<std::int32_t>(first(2))};
    for (std::int32_t z = 0; z < static_cast<std::int32_t>(count(2)); ++z) {
        for (std::int32_t y = 0; y < static_cast<std::int32_t>(count(1)); ++y) {
            for (std::int32_t x = 0; x < static_cast<std::int32_t>(count(0)); ++x) {
                const auto found = chunks_.find(streaming::moved(low, x, y, z));
                if (found != chunks_.end()) touch(found->first, found->second, box);
            }
        }
    }
}

void Engine::touch(const ChunkKey& key, Chunk& chunk, const PlaceBox& box) {
    const PlaceBox whole = box_of(key);
    if (!overlap(whole, box)) return;
    const bool was_settled = chunk.is_current || chunk.has_failed;
    if (was_settled) {
        ++outstanding_;
        chunk.stale = common(whole, box);
    } else {
        chunk.stale.include(common(whole, box));
    }
    if (!chunk.is_edited) chunk.due_since = stats_.updates + 1;
    if (chunk.has_failed) --stats_.failed;
    chunk.due = source_->number;
    chunk.is_current = false;
    chunk.is_edited = true;
    chunk.has_failed = false;
    must_queue_ = true;
}

void Engine::queue_requests() {
    must_queue_ = false;
    near_.clear();
    std::vector<PatchRequest> requests;
    for (const auto& [key, chunk] : chunks_) {
        if (chunk.is_current || chunk.has_failed) continue;
        const bool near = is_near(chunk);
        if (near) near_.push_back(key);
        if (chunk.is_running) continue;
        requests.push_back({chunk.ticket, key, source_, chunk.patches, square_to(chunk.stale, anchors_),
                            near || chunk.is_edited, near});
    }
    // Workers should begin on other processors, not behind this thread.
    std::optional<CallerGoesOn> goes_on;
    if (!near_.empty()) {
        had_near_work_ = true;
        goes_on.emplace();
    }
    jobs_->queue(std::move(requests));
}

void Engine::take_outcomes() {
    begun_.clear();
    outcomes_.clear();
    jobs_->collect(begun_, outcomes_);
    for (const std::uint64_t ticket : begun_) {
        const auto found = tickets_.find(ticket);
        if (found != tickets_.end()) chunks_.find(found->second)->second.is_running = true;
    }
    std::vector<ChunkError> errors;
    for (PatchOutcome& outcome : outcomes_) {
        const auto found = tickets_.find(outcome.ticket);
        if (found == tickets_.end()) continue;
        Chunk& chunk = chunks_.find(found->second)->second;
        came(outcome, chunk);
        if (chunk.has_failed) errors.push_back({outcome.key, outcome.error});
    }
    if (!options_.on_error) return;
    for (const ChunkError& error : errors) options_.on_error(error);
}

void Engine::came(PatchOutcome& outcome, Chunk& chunk) {
    chunk.is_running = false;
    ++stats_.made;
    const bool is_up_to_date = outcome.source->number >= chunk.due;
    if (outcome.error == nullptr) take_over(chunk, std::move(outcome.patches));
    if (!is_up_to_date) {
        must_queue_ = true;
        return;
    }
    --outstanding_;
    if (chunk.is_edited)
        stats_.longest_frames =
            std::max(stats_.longest_frames, stats_.updates - std::min(chunk.due_since, stats_.updates));
    chunk.is_edited = false;
    chunk.is_current = outcome.error == nullptr;
    chunk.has_failed = !chunk.is_current;
    if (chunk.has_failed) ++stats_.failed;
}

// Both lists are in the order of the parts.
void Engine::take_over(Chunk& chunk, std::shared_ptr<const PatchSet> patches) {
    static const PatchSet nothing;
    const PatchSet& before = chunk.patches == nullptr ? nothing : *chunk.patches;
    std::vector<std::uint32_t> slots;
    slots.reserve(patches->patches.size());
    std::size_t old = 0;
    const auto drop_up_to = [&](std::uint64_t part) {
        for (; old < before.patches.size() && before.patches[old]->part < part; ++old) {
            count(*before.patches[old], -1);
            table_.set(chunk.slots[old], nullptr);
        }
    };
    for (const auto& patch : patches->patches) {
        drop_up_to(patch->part);
        const bool is_known = old < before.patches.size() && before.patches[old]->part == patch->part;
        if (is_known && before.patches[old] == patch) {
            slots.push_back(chunk.slots[old++]);
            ++stats_.unchanged;
            continue;
        }
        ++stats_.rebuilt;
        count(*patch, 1);
        if (is_known) {
            count(*before.patches[old], -1);
            table_.set(chunk.slots[old], patch);
            slots.push_back(chunk.slots[old++]);
        } else {
            slots.push_back(table_.add(patch));
        }
    }
    drop_up_to(std::numeric_limits<std::uint64_t>::max());
    chunk.patches = std::move(patches);
    chunk.slots = std::move(slots);
}

// Adds a patch to what is at hand, or takes it away.
void Engine::count(const CollisionPatch& patch, int times) noexcept {
    const auto change = [&](std::size_t& figure, std::size_t by) { figure = times > 0 ? figure + by : figure - by; };
    change(stats_.patches, 1);
    change(stats_.triangles, patch.triangles());
    change(stats_.bytes, bytes_of(patch));
}

bool Engine::has_near_work() const {
    return std::any_of(near_.begin(), near_.end(), [&](const ChunkKey& key) {
        const Chunk& chunk = chunks_.find(key)->second;
        return !chunk.is_current && !chunk.has_failed;
    });
}

// The host's thread lends a hand rather than look on.
void Engine::wait_for_near(double seconds) {
    using Clock = std::chrono::steady_clock;
    host_.assert_host("CollisionWorld::wait_for_near");
    if (delivering_) throw Error("CollisionWorld::wait_for_near was called inside a delivery");
    impl::require_range("the time to wait", seconds, 0, 1);
    if (options_.clock != nullptr || seconds == 0) return;
    const Clock::time_point begin = Clock::now();
    const std::chrono::duration<double, std::nano> most(seconds * 1e9);
    while (has_near_work()) {
        const Clock::time_point now = Clock::now();
        const std::chrono::duration<double, std::nano> left = most - (now - begin);
        if (left.count() <= 0) return;
        if (make_cost_.expected() < left.count() && jobs_->run_near()) {
            make_cost_.learn(static_cast<double>(std::chrono::nanoseconds(Clock::now() - now).count()));
        } else {
            jobs_->wait_for_outcome(std::chrono::duration_cast<std::chrono::nanoseconds>(left));
        }
        take_outcomes();
        if (must_queue_) queue_requests();
    }
}

// Of the frame that ends with the next edit or update: by then its deliveries are over.
void Engine::count_near_work() {
    if (std::exchange(had_near_work_, false)) ++(has_near_work() ? stats_.late : stats_.in_frame);
}

bool Engine::ready_around(const Position& position, double radius) const {
    host_.assert_host("CollisionWorld::ready_around");
    const Lattice& lattice = options_.lattice;
    const LatticePlace at = impl::on_lattice(position, lattice);
    for (const double along : at) {
        if (!(std::abs(along) < kLatticeLimit)) return false;
    }
    if (!(radius >= 0) || radius > options_.radius) return false;
    const double reach = radius / lattice.voxel_size;
    const auto chunk_at = [&](double along) { return static_cast<std::int32_t>(std::floor(along / width())); };
    for (std::int32_t z = chunk_at(at[2] - reach); z <= chunk_at(at[2] + reach); ++z) {
        for (std::int32_t y = chunk_at(at[1] - reach); y <= chunk_at(at[1] + reach); ++y) {
            for (std::int32_t x = chunk_at(at[0] - reach); x <= chunk_at(at[0] + reach); ++x) {
                const ChunkKey key{0, x, y, z};
                if (box_of(key).square_of_distance(at) > reach * reach) continue;
                const auto found = chunks_.find(key);
                if (found == chunks_.end() || !found->second.is_current) return false;
                for (const std::uint32_t slot : found->second.slots) {
                    if (table_[slot].is_listed) return false;
                }
            }
        }
    }
    return true;
}

bool Engine::at_rest() const {
    return outstanding_ == 0 && table_.listed().empty();
}

CollisionStats Engine::stats() const {
    CollisionStats stats = stats_;
    stats.chunks = chunks_.size();
    stats.outstanding = outstanding_;
    stats.events = table_.listed().size();
    return stats;
}

}  // namespace quarry::terrain::collision
