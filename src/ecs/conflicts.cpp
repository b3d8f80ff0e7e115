// What two systems cannot both touch at the same time.
#include <algorithm>

#include "ecs/schedule_state.hpp"

namespace quarry::ecs::impl {
namespace {

bool contains(const std::vector<AccessKey>& keys, const AccessKey& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool any_common(const std::vector<AccessKey>& a, const std::vector<AccessKey>& b) {
    return std::any_of(a.begin(), a.end(), [&](const AccessKey& key) { return contains(b, key); });
}

// Entities that have a component and entities that have it not are never the same. Which those are changes only when
// commands are applied, when no system runs.
bool visit_different_entities(const SystemSpec& a, const SystemSpec& b) {
    return any_common(a.with, b.without) || any_common(a.without, b.with);
}

// The first thing that both touch and one of them changes; null: there is none.
const AccessKey* contested(const SystemSpec& a, const SystemSpec& b) {
    const bool apart = visit_different_entities(a, b);
    const auto meets = [&](const std::vector<AccessKey>& one, const std::vector<AccessKey>& other) -> const AccessKey* {
        for (const AccessKey& key : one) {
            if (apart && key.kind() == AccessKey::Kind::component) continue;
            if (contains(other, key)) return &key;
        }
        return nullptr;
    };
    if (const AccessKey* key = meets(a.writes, b.writes)) return key;
    if (const AccessKey* key = meets(a.writes, b.reads)) return key;
    return meets(b.writes, a.reads);
}

}  // namespace

bool in_conflict(const SystemSpec& a, const SystemSpec& b) {
    return a.exclusive || b.exclusive || contested(a, b) != nullptr;
}

std::string conflict_text(const SystemSpec& a, const SystemSpec& b) {
    if (a.exclusive || b.exclusive) return "one of them is exclusive";
    const AccessKey* const key = contested(a, b);
    return key == nullptr ? "nothing" : key->name();
}

}  // namespace quarry::ecs::impl
