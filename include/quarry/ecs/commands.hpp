#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "quarry/ecs/impl/command_buffer.hpp"
#include "quarry/ecs/world_traits.hpp"

namespace quarry::ecs {

// An entity that a command will spawn: its real id is not known before the commands are applied. It can be used in
// further commands of the same call of the system, and nowhere else.
struct Spawned {
    std::uint64_t number;  // in the order of spawning within that call
    std::uint64_t call;    // which call: differs from run to run
};

// Changes to a world that wait until no system runs. They are applied in the order (system, first entity of the range,
// order of recording), whatever ran where. Payloads are moved in and out; small and large ones live in memory that is
// used again in the next tick. Only for the call of the system that it was handed to, on the thread of that call.
template <class World>
class Commands {
  public:
    // The id of an entity in the world.
    using Entity = typename WorldTraits<World>::Entity;
    static_assert(std::is_trivially_copyable_v<Entity> && sizeof(Entity) <= sizeof(std::uint64_t),
                  "an entity is an id of at most 8 bytes");

    // For executors.
    explicit Commands(impl::CommandBuffer& buffer) noexcept : buffer_(buffer) {}

    // A new entity. Until the commands are applied it is known by what this returns.
    Spawned spawn() {
        impl::Command& command = buffer_.append(0, 1);
        const Spawned spawned{buffer_.spawned_in_block(), buffer_.call()};
        command.entity = buffer_.add_spawned();
        finish(command, &kSpawn, true);
        return spawned;
    }
    // Removes an entity with all its components.
    template <class Target>
    void despawn(Target entity) {
        impl::Command& command = buffer_.append(0, 1);
        address(command, entity);
        finish(command, &kDespawn, std::is_same_v<Target, Spawned>);
    }
    // Gives the entity a component, or replaces the one it has.
    template <class Target, class T>
    void add(Target entity, T&& value) {
        record<std::decay_t<T>>(entity, &kAdd<std::decay_t<T>>, std::forward<T>(value));
    }
    // Replaces a component. One that the entity has not by then is reported, and nothing is changed.
    template <class Target, class T>
    void set(Target entity, T&& value) {
        record<std::decay_t<T>>(entity, &kSet<std::decay_t<T>>, std::forward<T>(value));
    }
    template <class T, class Target>
    void remove(Target entity) {
        impl::Command& command = buffer_.append(0, 1);
        address(command, entity);
        finish(command, &kRemove<T>, std::is_same_v<Target, Spawned>);
    }
    // Any other change: change(World&).
    template <class F>
    void custom(F&& change) {
        record<std::decay_t<F>>(Entity{}, &kCustom<std::decay_t<F>>, std::forward<F>(change));
    }

  private:
    using Traits = WorldTraits<World>;

    static std::uint64_t to_bits(Entity entity) noexcept {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &entity, sizeof(Entity));
        return bits;
    }
    static Entity from_bits(std::uint64_t bits) noexcept {
        Entity entity;
        std::memcpy(&entity, &bits, sizeof(Entity));
        return entity;
    }
    void address(impl::Command& command, Entity entity) noexcept { command.entity = to_bits(entity); }
    void address(impl::Command& command, Spawned spawned) {
        command.entity = buffer_.spawned_number(spawned.number, spawned.call);
    }

    void finish(impl::Command& command, const impl::CommandType* type, bool to_spawned) noexcept {
        command.type = type;
        command.to_spawned = to_spawned;
        buffer_.commit(command);
    }

    template <class T, class Target, class Value>
    void record(Target entity, const impl::CommandType* type, Value&& value) {
        static_assert(alignof(T) <= 64, "payloads are aligned to at most 64 bytes");
        static_assert(sizeof(T) < (std::size_t{1} << 30), "a payload is smaller than 1 GiB");
        impl::Command& command = buffer_.append(sizeof(T), alignof(T));
        address(command, entity);
        auto at = reinterpret_cast<std::uintptr_t>(&command) + sizeof(impl::Command);
        at = (at + alignof(T) - 1) & ~(std::uintptr_t{alignof(T)} - 1);
        command.payload = static_cast<std::uint8_t>(at - reinterpret_cast<std::uintptr_t>(&command));
        ::new (reinterpret_cast<void*>(at)) T(std::forward<Value>(value));
        finish(command, type, std::is_same_v<Target, Spawned>);
    }

    template <class T>
    static T& payload(impl::Command& command) noexcept {
        return *std::launder(reinterpret_cast<T*>(reinterpret_cast<std::byte*>(&command) + command.payload));
    }
    template <class T>
    static void discard(impl::Command& command) noexcept {
        std::destroy_at(&payload<T>(command));
    }
    template <class T>
    static constexpr auto discard_of() {
        return std::is_trivially_destructible_v<T> ? nullptr : &discard<T>;
    }

    static impl::Applied apply_spawn(void* world, impl::Command&, std::uint64_t& entity) {
        entity = to_bits(Traits::spawn(*static_cast<World*>(world)));
        return impl::Applied::yes;
    }
    static impl::Applied apply_despawn(void* to, impl::Command&, std::uint64_t& entity) {
        World& world = *static_cast<World*>(to);
        if (!Traits::alive(world, from_bits(entity))) return impl::Applied::entity_is_gone;
        Traits::despawn(world, from_bits(entity));
        return impl::Applied::yes;
    }
    template <class T>
    static impl::Applied apply_add(void* to, impl::Command& command, std::uint64_t& entity) {
        World& world = *static_cast<World*>(to);
        if (!Traits::alive(world, from_bits(entity))) return impl::Applied::entity_is_gone;
        Traits::add(world, from_bits(entity), std::move(payload<T>(command)));
        return impl::Applied::yes;
    }
    template <class T>
    static impl::Applied apply_set(void* to, impl::Command& command, std::uint64_t& entity) {
        World& world = *static_cast<World*>(to);
        if (!Traits::alive(world, from_bits(entity))) return impl::Applied::entity_is_gone;
        const bool was_there = Traits::set(world, from_bits(entity), std::move(payload<T>(command)));
        return was_there ? impl::Applied::yes : impl::Applied::has_no_component;
    }
    template <class T>
    static impl::Applied apply_remove(void* to, impl::Command&, std::uint64_t& entity) {
        World& world = *static_cast<World*>(to);
        if (!Traits::alive(world, from_bits(entity))) return impl::Applied::entity_is_gone;
        Traits::template remove<T>(world, from_bits(entity));
        return impl::Applied::yes;
    }
    template <class F>
    static impl::Applied apply_custom(void* world, impl::Command& command, std::uint64_t&) {
        std::invoke(payload<F>(command), *static_cast<World*>(world));
        return impl::Applied::yes;
    }

    // Changes of one storage.
    template <class T>
    static std::size_t storage_of(void* world) {
        return static_cast<World*>(world)->template storage_number<T>();
    }
    template <class T>
    static impl::Applied put(void* world, impl::Command& command, std::uint64_t entity) {
        static_cast<World*>(world)->template storage<T>().put(from_bits(entity), std::move(payload<T>(command)));
        return impl::Applied::yes;
    }
    template <class T>
    static impl::Applied replace(void* world, impl::Command& command, std::uint64_t entity) {
        T* const there = static_cast<World*>(world)->template storage<T>().find(from_bits(entity));
        if (there == nullptr) return impl::Applied::has_no_component;
        *there = std::move(payload<T>(command));
        return impl::Applied::yes;
    }
    template <class T>
    static impl::Applied take(void* world, impl::Command&, std::uint64_t entity) {
        World& of = *static_cast<World*>(world);
        of.erase_from(of.template storage_number<T>(), from_bits(entity));
        return impl::Applied::yes;
    }
    template <class T, auto Apply>
    static constexpr impl::StorageChange kChange{&storage_of<T>, Apply};
    template <class T, impl::CommandKind Kind>
    static constexpr const impl::StorageChange* change_of() {
        if constexpr (!HasIndependentStorages<World>) {
            return nullptr;
        } else if constexpr (Kind == impl::CommandKind::add) {
            return &kChange<T, &put<T>>;
        } else if constexpr (Kind == impl::CommandKind::set) {
            return &kChange<T, &replace<T>>;
        } else {
            return &kChange<T, &take<T>>;
        }
    }

    static constexpr impl::CommandType kSpawn{impl::CommandKind::spawn, &apply_spawn, nullptr, nullptr};
    static constexpr impl::CommandType kDespawn{impl::CommandKind::despawn, &apply_despawn, nullptr, nullptr};
    template <class T>
    static constexpr impl::CommandType kAdd{impl::CommandKind::add, &apply_add<T>, discard_of<T>(),
                                            change_of<T, impl::CommandKind::add>()};
    template <class T>
    static constexpr impl::CommandType kSet{impl::CommandKind::set, &apply_set<T>, discard_of<T>(),
                                            change_of<T, impl::CommandKind::set>()};
    template <class T>
    static constexpr impl::CommandType kRemove{impl::CommandKind::remove, &apply_remove<T>, nullptr,
                                               change_of<T, impl::CommandKind::remove>()};
    template <class F>
    static constexpr impl::CommandType kCustom{impl::CommandKind::custom, &apply_custom<F>, discard_of<F>(), nullptr};

    impl::CommandBuffer& buffer_;
};

namespace impl {

template <class World>
typename World::Entity entity_from(std::uint64_t bits) noexcept {
    typename World::Entity entity;
    std::memcpy(&entity, &bits, sizeof entity);
    return entity;
}

template <class World>
constexpr IndependentStorages kIndependentStorages{
    [](const void* world, std::uint64_t entity) {
        return static_cast<const World*>(world)->alive(entity_from<World>(entity));
    },
    [](void* world, std::uint64_t entity) { static_cast<World*>(world)->retire(entity_from<World>(entity)); },
    [](const void* world) { return static_cast<const World*>(world)->storage_count(); },
    [](void* world, std::size_t storage, std::uint64_t entity) {
        static_cast<World*>(world)->erase_from(storage, entity_from<World>(entity));
    },
};

// Null: commands are applied one after the other.
template <class World>
constexpr const IndependentStorages* independent_storages() {
    if constexpr (HasIndependentStorages<World>) {
        return &kIndependentStorages<World>;
    } else {
        return nullptr;
    }
}

}  // namespace impl

}  // namespace quarry::ecs
