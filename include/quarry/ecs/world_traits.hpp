#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace quarry::ecs {

namespace impl {

template <class World>
struct EntityOf {
    using type = std::uint64_t;
};
template <class World>
requires requires {
    typename World::Entity;
}
struct EntityOf<World> {
    using type = typename World::Entity;
};

// The class that a member belongs to.
template <class Member>
struct ClassOf;
template <class Type, class World>
struct ClassOf<Type World::*> {
    using type = World;
};
template <class Member, class Other>
concept OfOneClass = std::same_as < typename ClassOf<Member>::type,
typename ClassOf<Other>::type > ;

}  // namespace impl

// How commands change a world. This one is for worlds with members of these names; specialise it for any other. What is
// never recorded need not exist: a world without entities can be scheduled, too.
template <class World>
struct WorldTraits {
    static constexpr bool kCallsMembers = true;           // of the world, and does nothing else
    using Entity = typename impl::EntityOf<World>::type;  // trivially copyable, at most 8 bytes

    // Makes an entity, removes one, says whether one is alive.
    static Entity spawn(World& world) { return world.spawn(); }
    static void despawn(World& world, Entity entity) { world.despawn(entity); }
    static bool alive(const World& world, Entity entity) { return world.alive(entity); }
    // add: gives the entity a component, or replaces it. set: replaces it; false if there is none.
    template <class T>
    static void add(World& world, Entity entity, T&& value) {
        world.add(entity, std::forward<T>(value));
    }
    template <class T>
    static bool set(World& world, Entity entity, T&& value) {
        return world.set(entity, std::forward<T>(value));
    }
    template <class T>
    static void remove(World& world, Entity entity) {
        world.template remove<T>(entity);
    }
};

// A world whose components are kept by type, so that the changes of one type can be made while those of another are,
// and while entities are spawned and retired. A class derived from such a world is one, too, as long as it hides none
// of these functions: else they would be left out where commands are many.
template <class World>
concept HasIndependentStorages = requires(World& world, const World& seen, typename World::Entity entity) {
    world.retire(entity);  // ends the entity and leaves its components
    { seen.storage_count() } -> std::same_as<std::size_t>;
    world.erase_from(std::size_t{0}, entity);                               // takes away a component, alive or not
    { world.template storage_number<int>() } -> std::same_as<std::size_t>;  // makes the storage where it is missing
    world.template storage<int>().put(entity, 0);
    world.template storage<int>().find(entity);
    requires WorldTraits<World>::kCallsMembers;
    requires impl::OfOneClass<decltype(&World::retire), decltype(&World::spawn)>;
    requires impl::OfOneClass<decltype(&World::retire), decltype(&World::despawn)>;
    requires impl::OfOneClass<decltype(&World::retire), decltype(&World::alive)>;
    requires impl::OfOneClass<decltype(&World::retire), decltype(&World::template add<int>)>;
    requires impl::OfOneClass<decltype(&World::retire), decltype(&World::template set<int>)>;
    requires impl::OfOneClass<decltype(&World::retire), decltype(&World::template remove<int>)>;
};

}  // namespace quarry::ecs
