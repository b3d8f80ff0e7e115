#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/jobs/error.hpp"

namespace quarry::ecs {

// An id: the place of an entity and how often that place was used before.
struct SparseEntity {
    // The place, and how often it was used before.
    std::uint32_t index;
    std::uint32_t generation;
    friend bool operator==(const SparseEntity&, const SparseEntity&) = default;
};

namespace impl {

QUARRY_API std::size_t next_component_number() noexcept;
// The same for every use of the type in the program, as far as it is one library.
template <class T>
std::size_t component_number() noexcept {
    static const std::size_t number = next_component_number();
    return number;
}

// The entities that have one type of component, without the components.
class QUARRY_API SparseSet {
  public:
    virtual ~SparseSet() = default;
    virtual void erase(std::uint32_t index) = 0;
    virtual std::unique_ptr<SparseSet> copy() const = 0;

    static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);
    std::uint32_t place(std::uint32_t index) const noexcept { return index < sparse_.size() ? sparse_[index] : kNone; }
    std::size_t size() const noexcept { return dense_.size(); }
    const std::vector<SparseEntity>& entities() const noexcept { return dense_; }

  protected:
    std::uint32_t insert(SparseEntity entity);
    // Moves the last one to the place of the one that goes; returns that place.
    std::uint32_t take_out(std::uint32_t index);

    std::vector<std::uint32_t> sparse_;
    std::vector<SparseEntity> dense_;
};

}  // namespace impl

// All components of one type, next to each other, in an order that follows from what was added and removed.
template <class T>
class SparseStorage final : public impl::SparseSet {
  public:
    // Whether an entity has it, and its component: by place, or null if it has none.
    bool contains(SparseEntity entity) const noexcept { return place(entity.index) != kNone; }
    T& at(std::size_t i) noexcept { return values_[i]; }
    const T& at(std::size_t i) const noexcept { return values_[i]; }
    T* find(SparseEntity entity) noexcept {
        const std::uint32_t at = place(entity.index);
        return at == kNone ? nullptr : &values_[at];
    }
    const T* find(SparseEntity entity) const noexcept {
        const std::uint32_t at = place(entity.index);
        return at == kNone ? nullptr : &values_[at];
    }
    // All components, next to each other.
    std::vector<T>& values() noexcept { return values_; }
    const std::vector<T>& values() const noexcept { return values_; }

    // Adds or replaces the component of an entity, takes it away, or copies all of them.
    void put(SparseEntity entity, T&& value) {
        if (T* const there = find(entity)) {
            *there = std::move(value);
            return;
        }
        values_.push_back(std::move(value));
        insert(entity);
    }
    void erase(std::uint32_t index) override {
        if (place(index) == kNone) return;
        const std::uint32_t at = take_out(index);
        if (at + 1 != values_.size()) values_[at] = std::move(values_.back());
        values_.pop_back();
    }
    std::unique_ptr<SparseSet> copy() const override {
        if constexpr (std::is_copy_constructible_v<T>) {
            return std::make_unique<SparseStorage>(*this);
        } else {
            throw Error("SparseWorld: cannot be copied, because a component cannot");
        }
    }

  private:
    std::vector<T> values_;
};

// A small world of entities and components in sparse sets: for tests, examples and programs that need no more. Systems
// may use it from several threads as they have declared; storage<T>() and add() of a type that has none yet make one,
// so call storage<T>() once for each type before the first tick. Nothing else makes one.
class SparseWorld {
  public:
    // What an entity is known by.
    using Entity = SparseEntity;

    SparseWorld() = default;
    // Copies every component; throws quarry::Error if one cannot be copied.
    QUARRY_API SparseWorld(const SparseWorld& other);
    QUARRY_API SparseWorld& operator=(const SparseWorld& other);
    // Leaves the other one empty.
    SparseWorld(SparseWorld&& other) noexcept
        : slots_(std::exchange(other.slots_, {})),
          free_(std::exchange(other.free_, kNone)),
          alive_(std::exchange(other.alive_, 0)),
          storages_(std::exchange(other.storages_, {})) {}
    SparseWorld& operator=(SparseWorld&& other) noexcept {
        slots_ = std::exchange(other.slots_, {});
        free_ = std::exchange(other.free_, kNone);
        alive_ = std::exchange(other.alive_, 0);
        storages_ = std::exchange(other.storages_, {});
        return *this;
    }
    ~SparseWorld() = default;

    // Makes an entity, removes one, says whether one is alive and how many are.
    Entity spawn() {
        if (free_ != kNone) {
            const std::uint32_t index = free_;
            free_ = slots_[index].next;
            slots_[index].alive = true;
            ++alive_;
            return {index, slots_[index].generation};
        }
        return spawn_at_the_end();
    }
    QUARRY_API void despawn(Entity entity);
    bool alive(Entity entity) const noexcept {
        return entity.index < slots_.size() && slots_[entity.index].alive &&
               slots_[entity.index].generation == entity.generation;
    }
    std::size_t size() const noexcept { return alive_; }

    // The components of one type; makes the storage if there is none.
    template <class T>
    SparseStorage<T>& storage() {
        return static_cast<SparseStorage<T>&>(*storages_[storage_number<T>()]);
    }

    // For those who change several storages at the same time: despawn() in two steps.
    QUARRY_API void retire(Entity entity);
    void erase_from(std::size_t storage, Entity entity) {
        if (storages_[storage] != nullptr) storages_[storage]->erase(entity.index);
    }
    std::size_t storage_count() const noexcept { return storages_.size(); }
    template <class T>
    std::size_t storage_number() {
        const std::size_t number = impl::component_number<T>();
        if (number >= storages_.size()) storages_.resize(number + 1);
        if (storages_[number] == nullptr) storages_[number] = std::make_unique<SparseStorage<T>>();
        return number;
    }
    template <class T>
    const SparseStorage<T>* find_storage() const noexcept {
        const std::size_t number = impl::component_number<T>();
        return number < storages_.size() ? static_cast<const SparseStorage<T>*>(storages_[number].get()) : nullptr;
    }
    template <class T>
    SparseStorage<T>* find_storage() noexcept {
        const std::size_t number = impl::component_number<T>();
        return number < storages_.size() ? static_cast<SparseStorage<T>*>(storages_[number].get()) : nullptr;
    }
    // How many entities have such a component.
    template <class T>
    std::size_t count() const noexcept {
        const SparseStorage<T>* const there = find_storage<T>();
        return there == nullptr ? 0 : there->size();
    }

    // Adding to an entity that is gone throws quarry::Error.
    template <class T>
    void add(Entity entity, T&& value) {
        require_alive(entity);
        using Component = std::decay_t<T>;
        storage<Component>().put(entity, Component(std::forward<T>(value)));
    }
    // False: the entity has no such component.
    template <class T>
    bool set(Entity entity, T&& value) {
        std::decay_t<T>* const there = get<std::decay_t<T>>(entity);
        if (there == nullptr) return false;
        *there = std::forward<T>(value);
        return true;
    }
    template <class T>
    void remove(Entity entity) {
        if (SparseStorage<T>* const there = find_storage<T>(); there != nullptr && alive(entity)) {
            there->erase(entity.index);
        }
    }
    // Null: the entity is gone, or has no such component.
    template <class T>
    T* get(Entity entity) {
        SparseStorage<T>* const there = find_storage<T>();
        return there != nullptr && alive(entity) ? there->find(entity) : nullptr;
    }

  private:
    static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);
    struct Slot {
        std::uint32_t generation = 0;
        std::uint32_t next = kNone;  // free place
        bool alive = false;
    };

    QUARRY_API Entity spawn_at_the_end();
    QUARRY_API void require_alive(Entity entity) const;

    std::vector<Slot> slots_;
    std::uint32_t free_ = kNone;
    std::size_t alive_ = 0;
    // Away from the lines above, which change while storages are changed by other threads.
    alignas(64) std::vector<std::unique_ptr<impl::SparseSet>> storages_;
};

}  // namespace quarry::ecs
