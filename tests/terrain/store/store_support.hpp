#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "quarry/jobs/error.hpp"
#include "quarry/terrain/edit_world.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/world_file.hpp"

namespace quarry::terrain::test_support {

inline constexpr std::uint64_t kGround = 77;

inline std::shared_ptr<const Field> saved_hills() {
    return std::make_shared<NoiseField>(NoiseOptions{.seed = kGround, .amplitude = 12});
}

// The edit with that number in a list that is the same for everybody.
inline Edit edit_number(std::uint64_t number, double reach = 60) {
    std::mt19937_64 engine(number * 0x9e3779b97f4a7c15 + 1);
    const auto real = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(engine);
    };
    Edit edit;
    const std::uint64_t kind = engine() % 10;
    edit.kind = kind < 5 ? EditKind::dig : kind < 7 ? EditKind::add : kind < 9 ? EditKind::paint : EditKind::smooth;
    edit.shape = engine() % 4 == 0 ? BrushShape::box : BrushShape::sphere;
    edit.extent = {2, 1, 3};
    edit.material = static_cast<std::uint8_t>(engine() % 4);
    edit.stroke = static_cast<std::uint32_t>(number / 10);
    edit.at = {real(-reach, reach), real(-8, 8), real(-reach, reach)};
    edit.radius = static_cast<float>(real(1, 4));
    return edit;
}

// The first so many edits, without any file.
class PlainWorld {
  public:
    std::uint64_t hash_after(std::uint64_t edits) {
        while (applied_ < edits) world_.apply(edit_number(applied_++));
        return world_.content_hash();
    }

  private:
    EditWorld world_{saved_hills(), {.undo_bytes = 1 << 20}};
    std::uint64_t applied_ = 0;
};

inline std::string bytes_of_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Names of all files there, with a hash of their bytes.
inline std::map<std::string, std::size_t> files_in(const std::filesystem::path& folder) {
    std::map<std::string, std::size_t> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        files[entry.path().filename().string()] =
            entry.is_regular_file() ? std::hash<std::string>()(bytes_of_file(entry.path())) : 0;
    }
    return files;
}

// So many, or as many as a variable of the environment says.
inline int rounds(const char* variable, int usual) {
    const char* const text = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nobody sets any
    return text == nullptr ? usual : std::stoi(text);
}

template <class Function>
std::string error_text(Function&& function) {
    try {
        function();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace quarry::terrain::test_support
