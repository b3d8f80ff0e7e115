#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace quarry::terrain::impl {

using Json = nlohmann::json;

// These take any value, also one of the wrong kind.

inline const Json* member(const Json& object, const char* name) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
}

inline const Json* element(const Json& object, const char* list, std::uint64_t index) {
    const Json* const found = member(object, list);
    return found != nullptr && found->is_array() && index < found->size() ? &(*found)[static_cast<std::size_t>(index)]
                                                                          : nullptr;
}

inline std::size_t length(const Json& object, const char* list) {
    const Json* const found = member(object, list);
    return found != nullptr && found->is_array() ? found->size() : 0;
}

inline std::optional<std::uint64_t> whole(const Json& object, const char* name) {
    const Json* const found = member(object, name);
    if (found == nullptr || !found->is_number_unsigned()) return std::nullopt;
    return found->get<std::uint64_t>();
}

// The same where the format has 0 for a member that is missing.
inline std::optional<std::uint64_t> whole_or_0(const Json& object, const char* name) {
    return member(object, name) == nullptr ? std::optional<std::uint64_t>(0) : whole(object, name);
}

inline std::optional<double> number(const Json& object, const char* name) {
    const Json* const found = member(object, name);
    if (found == nullptr || !found->is_number()) return std::nullopt;
    return found->get<double>();
}

inline std::optional<std::string> text(const Json& object, const char* name) {
    const Json* const found = member(object, name);
    if (found == nullptr || !found->is_string()) return std::nullopt;
    return found->get<std::string>();
}

inline std::optional<std::array<double, 3>> three(const Json& object, const char* name) {
    const Json* const found = member(object, name);
    if (found == nullptr || !found->is_array() || found->size() != 3) return std::nullopt;
    std::array<double, 3> numbers{};
    for (std::size_t i = 0; i < 3; ++i) {
        if (!(*found)[i].is_number()) return std::nullopt;
        numbers[i] = (*found)[i].get<double>();
        if (!std::isfinite(numbers[i])) return std::nullopt;
    }
    return numbers;
}

// A value as it may stand in a finding: one line, not too long.
inline std::string shown(const Json* value) {
    constexpr std::size_t kLongest = 60;
    if (value == nullptr) return "missing";
    std::string text =
        value->is_structured() ? value->type_name() : value->dump(-1, ' ', true, Json::error_handler_t::replace);
    if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
    return text;
}

}  // namespace quarry::terrain::impl
