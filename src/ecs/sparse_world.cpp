#include "quarry/ecs/sparse_world.hpp"

namespace quarry::ecs {

namespace impl {

std::size_t next_component_number() noexcept {
    static std::atomic<std::size_t> next{0};
    return next.fetch_add(1, std::memory_order_relaxed);
}

std::uint32_t SparseSet::insert(SparseEntity entity) {
    if (entity.index >= sparse_.size()) sparse_.resize(std::size_t{entity.index} + 1 + sparse_.size() / 2, kNone);
    const auto at = static_cast<std::uint32_t>(dense_.size());
    dense_.push_back(entity);
    sparse_[entity.index] = at;
    return at;
}

std::uint32_t SparseSet::take_out(std::uint32_t index) {
    const std::uint32_t at = sparse_[index];
    sparse_[dense_.back().index] = at;
    dense_[at] = dense_.back();
    dense_.pop_back();
    sparse_[index] = kNone;
    return at;
}

}  // namespace impl

SparseWorld::SparseWorld(const SparseWorld& other) : slots_(other.slots_), free_(other.free_), alive_(other.alive_) {
    for (const auto& storage : other.storages_) storages_.push_back(storage == nullptr ? nullptr : storage->copy());
}

SparseWorld& SparseWorld::operator=(const SparseWorld& other) {
    if (this != &other) *this = SparseWorld(other);
    return *this;
}

SparseEntity SparseWorld::spawn_at_the_end() {
    if (slots_.size() == kNone) throw Error("SparseWorld: more than 4,294,967,295 entities");
    slots_.push_back({0, kNone, true});
    ++alive_;
    return {static_cast<std::uint32_t>(slots_.size() - 1), 0};
}

void SparseWorld::despawn(Entity entity) {
    require_alive(entity);
    for (const auto& storage : storages_) {
        if (storage != nullptr) storage->erase(entity.index);
    }
    retire(entity);
}

void SparseWorld::retire(Entity entity) {
    require_alive(entity);
    Slot& slot = slots_[entity.index];
    slot.alive = false;
    ++slot.generation;
    slot.next = free_;
    free_ = entity.index;
    --alive_;
}

void SparseWorld::require_alive(Entity entity) const {
    if (!alive(entity)) throw Error("SparseWorld: entity " + std::to_string(entity.index) + " is gone");
}

}  // namespace quarry::ecs
