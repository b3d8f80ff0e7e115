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

// Square lattice units: further than any chunk of a turn is from an anchor.
constexpr double kNextTurn = 1e8;

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
    impl::require_range("edit_frames", options.edit_frames, 1, 1'000'000);
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

Engine::Turn Engine::turn_of(const Chunk& chunk) const noexcept {
    if (is_near(chunk)) return Turn::near;
    if (chunk.edits.empty()) return Turn::other;
    return is_due(chunk) ? Turn::due : Turn::edited;
}

void Engine::queue_requests() {
    must_queue_ = false;
    near_.clear();
    due_.clear();
    std::vector<PatchRequest> requests;
    for (const auto& [key, chunk] : chunks_) {
        if (chunk.is_current || chunk.has_failed) continue;
        const Turn turn = turn_of(chunk);
        if (turn == Turn::near) near_.push_back(key);
        if (turn == Turn::due) due_.push_back(key);
        if (chunk.is_running) continue;
        const double square = square_to(chunk.stale, turn == Turn::near ? bodies() : anchors_);
        requests.push_back({chunk.ticket, key, source_, chunk.patches, static_cast<double>(turn) * kNextTurn + square,
                            turn == Turn::near || chunk.is_edited, turn <= Turn::due});
    }
    if (!near_.empty()) had_near_work_ = true;
    // Workers should begin on other processors, not behind this thread.
    std::optional<CallerGoesOn> goes_on;
    if (has_work_to_wait_for()) goes_on.emplace();
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
    const std::uint64_t since = shown_since(chunk, outcome.source->number);
    if (outcome.error == nullptr) take_over(chunk, std::move(outcome.patches), since);
    if (!is_up_to_date) {
        must_queue_ = true;
        return;
    }
    --outstanding_;
    chunk.is_edited = false;
    chunk.is_current = outcome.error == nullptr;
    chunk.has_failed = !chunk.is_current;
    if (chunk.has_failed) ++stats_.failed;
}

// Both lists are in the order of the parts.
void Engine::take_over(Chunk& chunk, std::shared_ptr<const PatchSet> patches, std::uint64_t since) {
    static const PatchSet nothing;
    const PatchSet& before = chunk.patches == nullptr ? nothing : *chunk.patches;
    std::vector<std::uint32_t> slots;
    slots.reserve(patches->patches.size());
    std::size_t old = 0;
    const auto drop_up_to = [&](std::uint64_t part) {
        for (; old < before.patches.size() && before.patches[old]->part < part; ++old) {
            count(*before.patches[old], -1);
            table_.set(chunk.slots[old], nullptr, since);
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
            table_.set(chunk.slots[old], patch, since);
            slots.push_back(chunk.slots[old++]);
        } else {
            slots.push_back(table_.add(patch, since));
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

bool Engine::has_work_in(const std::vector<ChunkKey>& keys) const {
    return std::any_of(keys.begin(), keys.end(), [&](const ChunkKey& key) {
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
    while (has_work_to_wait_for()) {
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
    if (std::exchange(had_near_work_, false)) ++(has_work_in(near_) ? stats_.late : stats_.in_frame);
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
