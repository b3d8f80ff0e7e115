#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::terrain::impl {

// The whole file. Throws quarry::Error with the file's name where it cannot be read or has more than most bytes.
std::vector<std::byte> read_file(const std::filesystem::path& file, std::size_t most);

// The text without what would break a line or a terminal: control characters become question marks.
std::string on_one_line(std::string_view text);

}  // namespace quarry::terrain::impl
