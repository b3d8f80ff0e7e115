#include "quarry/terrain/collision_world.hpp"

#include <utility>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/field.hpp"
#include "terrain/collision/engine.hpp"
#include "terrain/collision/patch_jobs.hpp"
#include "terrain/options.hpp"

namespace quarry::terrain {
namespace {

std::unique_ptr<collision::Engine> make_collision_engine(Pool& pool, std::shared_ptr<const Field> field,
                                                         CollisionOptions options) {
    collision::check(options);
    if (!options.host) options.host.emplace();
    auto jobs = std::make_unique<collision::PoolPatchJobs>(pool, options.lane, options.pending, *options.host);
    return std::make_unique<collision::Engine>(std::move(jobs), std::move(field), options);
}

}  // namespace

DeliveryReport CollisionInbox::deliver_erased(const DeliveryBudget& budget, const Receiver& receiver) {
    return engine_.deliver(budget, receiver);
}

CollisionWorld::CollisionWorld(Pool& pool, std::shared_ptr<const Field> field, const CollisionOptions& options)
    : engine_(make_collision_engine(pool, std::move(field), options)), inbox_(*engine_) {}
CollisionWorld::~CollisionWorld() = default;

void CollisionWorld::update(std::span<const Position> anchors, std::size_t bodies) {
    engine_->update(anchors, bodies);
}
void CollisionWorld::edit(std::shared_ptr<const Field> field, std::span<const Box> changed) {
    engine_->edit(std::move(field), changed);
}
void CollisionWorld::exchange(std::shared_ptr<const Field> field) {
    engine_->exchange(std::move(field));
}
void CollisionWorld::wait_for_near(double seconds) {
    engine_->wait_for_near(seconds);
}
bool CollisionWorld::ready_around(const Position& position, double radius) const {
    return engine_->ready_around(position, radius);
}
bool CollisionWorld::at_rest() const {
    return engine_->at_rest();
}
RayAnswer CollisionWorld::raycast(const Position& from, const Position& direction, const RayOptions& options) const {
    return engine_->raycast(from, direction, options);
}
GroundAnswer CollisionWorld::highest_ground_below(double x, double y, double z, double reach) const {
    const RayAnswer answer =
        engine_->raycast({x, y, z}, {0, -1, 0}, {.reach = reach, .resolution = options().lattice.voxel_size / 4});
    if (!answer.hit) return {std::nullopt, answer.source};
    return {answer.hit->position.y, answer.source};
}
GroundAnswer CollisionWorld::ground_at(double x, double z, double low, double high) const {
    impl::require_range("the height above the lower end", high - low, 1e-6, 1e6);
    return highest_ground_below(x, high, z, high - low);
}
SweepAnswer CollisionWorld::sweep(const Position& from, const Position& direction, double radius, double reach) const {
    return engine_->sweep(from, direction, radius, reach);
}
const CollisionOptions& CollisionWorld::options() const noexcept {
    return engine_->options();
}
CollisionStats CollisionWorld::stats() const {
    return engine_->stats();
}

}  // namespace quarry::terrain
