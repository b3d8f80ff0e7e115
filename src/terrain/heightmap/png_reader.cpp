#include "terrain/heightmap/png_reader.hpp"

#include <csetjmp>
#include <cstring>

namespace quarry::terrain::impl {
namespace {

// Chunks that are not the picture (profiles, texts) may not ask for more memory than this.
constexpr png_alloc_size_t kMostChunkBytes = 1 << 20;

}  // namespace

PngReader::~PngReader() {
    png_destroy_read_struct(&png_, &info_, nullptr);
}

bool PngReader::read_header() noexcept {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail, ignore_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
        std::strcpy(message_.data(), "libpng has no memory");
        return false;
    }
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    // Sizes are the caller's to refuse, with a better text than libpng's: nothing is allocated for them here.
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(png_, kMostChunkBytes);
    png_set_read_fn(png_, this, read_bytes);
    png_read_info(png_, info_);
    width_ = png_get_image_width(png_, info_);
    height_ = png_get_image_height(png_, info_);
    bit_depth_ = png_get_bit_depth(png_, info_);
    colour_type_ = png_get_color_type(png_, info_);
    row_bytes_ = png_get_rowbytes(png_, info_);
    return true;
}

bool PngReader::read_rows(std::span<png_bytep> rows) noexcept {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_image(png_, rows.data());
    png_read_end(png_, nullptr);
    return true;
}

void PngReader::fail(png_structp png, png_const_charp text) {
    auto* const reader = static_cast<PngReader*>(png_get_error_ptr(png));
    std::strncpy(reader->message_.data(), text, reader->message_.size() - 1);
    png_longjmp(png, 1);
}

void PngReader::ignore_warning(png_structp /*png*/, png_const_charp /*text*/) {}

void PngReader::read_bytes(png_structp png, png_bytep to, std::size_t count) {
    auto* const reader = static_cast<PngReader*>(png_get_io_ptr(png));
    if (count > reader->bytes_.size() - reader->next_) png_error(png, "the file ends too early");
    std::memcpy(to, reader->bytes_.data() + reader->next_, count);
    reader->next_ += count;
}

}  // namespace quarry::terrain::impl
