#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace quarry::terrain::impl {

using Json = nlohmann::json;

// Parses strict JSON without repeated keys and nested no deeper than kDeepestDescription. Throws DescriptionError.
Json parse_document(std::string_view text, const std::string& name);

// path with one step more, as in a JSON pointer.
std::string path_to(const std::string& path, std::string_view key);
std::string path_to(const std::string& path, std::size_t index);

}  // namespace quarry::terrain::impl
