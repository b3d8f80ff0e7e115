#include "world/ground.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "tools/input.hpp"

namespace quarry::app {
namespace {

// FNV-1a, 64 bits.
class NumberOfBytes {
  public:
    void add(std::string_view bytes) noexcept {
        for (const char byte : bytes) value_ = (value_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    }
    std::uint64_t value() const noexcept { return value_; }

  private:
    std::uint64_t value_ = 0xcbf29ce484222325U;
};

void add_file(NumberOfBytes& number, const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::array<char, 65'536> piece{};
    while (in.read(piece.data(), piece.size()) || in.gcount() > 0) {
        number.add({piece.data(), static_cast<std::size_t>(in.gcount())});
    }
    if (!in.eof()) throw WrongInput(fmt::format("--field: {} cannot be read again", in_quotes(file.string())));
}

}  // namespace

std::uint64_t ground_number(const BakeArguments& arguments, const terrain::NoiseOptions& noise,
                            const terrain::Described& described) {
    NumberOfBytes number;
    if (described.files.empty()) {
        number.add(fmt::format("{} {} {} {} {} {} {} {}", arguments.field, noise.seed, noise.octaves, noise.frequency,
                               noise.amplitude, noise.offset, noise.lacunarity, noise.persistence));
    }
    for (const std::filesystem::path& file : described.files) add_file(number, file);
    return number.value();
}

}  // namespace quarry::app
