#include "terrain/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "quarry/jobs/error.hpp"

namespace quarry::terrain::impl {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
    throw Error(on_one_line(file.string()) + ": " + what);
}

struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

}  // namespace

// Piece by piece, not by the size that the system gives: devices and pipes have none.
std::vector<std::byte> read_file(const std::filesystem::path& file, std::size_t most) {
    const std::unique_ptr<std::FILE, Close> open(std::fopen(file.c_str(), "rb"));
    if (open == nullptr) refuse(file, "cannot be read: " + std::generic_category().message(errno));
    std::vector<std::byte> bytes;
    for (;;) {
        const std::size_t before = bytes.size();
        bytes.resize(before + kPiece);
        const std::size_t count = std::fread(bytes.data() + before, 1, kPiece, open.get());
        bytes.resize(before + count);
        if (std::ferror(open.get()) != 0) refuse(file, "cannot be read: " + std::generic_category().message(errno));
        if (bytes.size() > most) refuse(file, "is larger than the " + std::to_string(most) + " bytes that are allowed");
        if (count < kPiece) return bytes;
    }
}

std::string on_one_line(std::string_view text) {
    std::string line(text);
    std::replace_if(
        line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
    return line;
}

}  // namespace quarry::terrain::impl
