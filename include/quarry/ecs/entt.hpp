#pragma once

// Empty where EnTT is not installed.
#if __has_include(<entt/entity/registry.hpp>)

#include <type_traits>
#include <utility>

#include <entt/entity/registry.hpp>

#include "quarry/ecs/world_traits.hpp"

namespace quarry::ecs {

// EnTT's registry as a world. Include this header instead of <entt/entity/registry.hpp>, and schedule systems over
// Schedule<entt::registry>. A view or group that a system uses for the first time makes storage: touch each component
// type once (registry.storage<T>()) before the first tick.
template <>
struct WorldTraits<entt::registry> {
    using Entity = entt::entity;

    static Entity spawn(entt::registry& registry) { return registry.create(); }
    static void despawn(entt::registry& registry, Entity entity) { registry.destroy(entity); }
    static bool alive(const entt::registry& registry, Entity entity) { return registry.valid(entity); }
    template <class T>
    static void add(entt::registry& registry, Entity entity, T&& value) {
        registry.template emplace_or_replace<std::decay_t<T>>(entity, std::forward<T>(value));
    }
    template <class T>
    static bool set(entt::registry& registry, Entity entity, T&& value) {
        if (!registry.template all_of<std::decay_t<T>>(entity)) return false;
        registry.template replace<std::decay_t<T>>(entity, std::forward<T>(value));
        return true;
    }
    template <class T>
    static void remove(entt::registry& registry, Entity entity) {
        registry.template remove<T>(entity);
    }
};

}  // namespace quarry::ecs

#endif
