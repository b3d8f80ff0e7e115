#include <ostream>

#include <png.h>
#include <quarry/jobs/error.hpp>
#include <quarry/jobs/impl/output_file.hpp>

#include "preview/image.hpp"

namespace quarry::app::preview {
namespace {

static_assert(sizeof(Pixel) == 3, "rows of pixels are handed to libpng as they are");

}  // namespace

std::string png_bytes(const Image& image) {
    if (image.width < 1 || image.height < 1) throw PictureError("cannot encode the picture: it has no pixel");
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    png.width = static_cast<png_uint_32>(image.width);
    png.height = static_cast<png_uint_32>(image.height);
    png.format = PNG_FORMAT_RGB;  // 8 bits, sRGB
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
    std::string bytes(size, '\0');
    const int done = png_image_write_to_memory(&png, bytes.data(), &size, 0, image.pixels.data(), 0, nullptr);
    const std::string message = static_cast<const char*>(png.message);
    png_image_free(&png);
    if (done == 0) throw PictureError("cannot encode the picture: " + message);
    bytes.resize(size);
    return bytes;
}

void write_png(const std::filesystem::path& path, const Image& image) {
    const std::string bytes = png_bytes(image);
    try {
        quarry::impl::write_whole_file(
            path, [&](std::ostream& out) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
    } catch (const Error& failure) {
        throw PictureError("cannot write " + path.string() + ": " + failure.what());
    }
}

}  // namespace quarry::app::preview
