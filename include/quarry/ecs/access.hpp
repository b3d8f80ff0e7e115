#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace quarry::ecs {

namespace impl {

// The text differs from type to type, and is the same wherever the type is compiled.
template <class T>
constexpr std::string_view type_text() noexcept {
    std::string_view text = __PRETTY_FUNCTION__;
    text.remove_prefix(text.find("T = ") + 4);
    return text.substr(0, text.find_first_of(";]"));
}

constexpr std::uint64_t hash_text(std::string_view text) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash;
}

}  // namespace impl

// What a system reads or writes: a component type, a resource, or something that only has a name, such as a component
// that a script has declared. Two keys are equal if they are of one kind and one name.
class AccessKey {
  public:
    // Whether entities have it, or the world has one.
    enum class Kind : std::uint8_t { component, resource };

    // The key of a component type.
    template <class T>
    static AccessKey component() {
        return {Kind::component, std::string(impl::type_text<T>()), impl::hash_text(impl::type_text<T>())};
    }
    // The key of a resource type.
    template <class T>
    static AccessKey resource() {
        return {Kind::resource, std::string(impl::type_text<T>()), impl::hash_text(impl::type_text<T>()) + 1};
    }
    // A key that only has a name.
    static AccessKey named(std::string name, Kind kind = Kind::component) {
        const std::uint64_t hash = impl::hash_text(name) + (kind == Kind::component ? 2 : 3);
        return {kind, std::move(name), hash};
    }

    // What it is a key to.
    Kind kind() const noexcept { return kind_; }
    const std::string& name() const noexcept { return name_; }
    // Of one kind and one name.
    friend bool operator==(const AccessKey& a, const AccessKey& b) noexcept {
        return a.hash_ == b.hash_ && a.kind_ == b.kind_ && a.name_ == b.name_;
    }
    // An order for sets and maps.
    friend bool operator<(const AccessKey& a, const AccessKey& b) noexcept {
        if (a.hash_ != b.hash_) return a.hash_ < b.hash_;
        return a.kind_ != b.kind_ ? a.kind_ < b.kind_ : a.name_ < b.name_;
    }

  private:
    AccessKey(Kind kind, std::string name, std::uint64_t hash) : kind_(kind), name_(std::move(name)), hash_(hash) {}

    Kind kind_;
    std::string name_;
    std::uint64_t hash_;
};

}  // namespace quarry::ecs
