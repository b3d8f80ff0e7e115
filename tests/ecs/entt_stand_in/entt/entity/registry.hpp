#pragma once

// Stands in for EnTT where that is not installed: the few members of its registry that the adapter uses, with their
// signatures of EnTT 3.x.
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace entt {

enum class entity : std::uint32_t {};

class registry {
  public:
    using entity_type = entity;

    [[nodiscard]] entity_type create() {
        const auto made = static_cast<entity_type>(next_++);
        alive_.insert(made);
        return made;
    }
    std::uint16_t destroy(const entity_type entt) {
        alive_.erase(entt);
        return 0;
    }
    [[nodiscard]] bool valid(const entity_type entt) const { return alive_.count(entt) != 0; }

    template <typename Type, typename... Args>
    decltype(auto) emplace_or_replace(const entity_type entt, Args&&... args) {
        return pool<Type>()[entt] = Type{std::forward<Args>(args)...};
    }
    template <typename Type, typename... Args>
    decltype(auto) replace(const entity_type entt, Args&&... args) {
        return pool<Type>()[entt] = Type{std::forward<Args>(args)...};
    }
    template <typename... Type>
    [[nodiscard]] bool all_of(const entity_type entt) const {
        return ((pool<Type>().count(entt) != 0) && ...);
    }
    template <typename Type, typename... Other>
    std::size_t remove(const entity_type entt) {
        return pool<Type>().erase(entt);
    }
    template <typename... Type>
    [[nodiscard]] decltype(auto) get(const entity_type entt) {
        return (pool<Type>().at(entt), ...);
    }

  private:
    template <typename Type>
    static std::map<entity_type, Type>& pool() {
        static std::map<entity_type, Type> values;
        return values;
    }

    std::uint32_t next_ = 0;
    std::set<entity_type> alive_;
};

}  // namespace entt
