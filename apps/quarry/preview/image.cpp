#include "preview/image.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

namespace quarry::app::preview {
namespace {

constexpr int kSteps = 16384;

// The sRGB transfer function in steps far finer than 8 bits can show, but for the darkest.
const std::array<std::uint8_t, kSteps + 1>& encoded() {
    static const std::array<std::uint8_t, kSteps + 1> made = [] {
        std::array<std::uint8_t, kSteps + 1> table{};
        for (std::size_t i = 0; i < table.size(); ++i) {
            // Squared, so that the steps are fine where the eye is.
            const double root = static_cast<double>(i) / kSteps;
            const double value = root * root;
            const double code = value <= 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
            table[i] = static_cast<std::uint8_t>(std::lround(code * 255));
        }
        return table;
    }();
    return made;
}

const std::array<float, 256>& decoded() {
    static const std::array<float, 256> made = [] {
        std::array<float, 256> table{};
        for (std::size_t i = 0; i < table.size(); ++i) {
            const double code = static_cast<double>(i) / 255;
            table[i] = static_cast<float>(code <= 0.04045 ? code / 12.92 : std::pow((code + 0.055) / 1.055, 2.4));
        }
        return table;
    }();
    return made;
}

std::uint8_t encode(float linear) noexcept {
    // Not a number goes to 0 as well.
    if (!(linear > 0)) return 0;
    return encoded()[static_cast<std::size_t>(rounded_down(std::sqrt(std::min(linear, 1.0F)) * (2 * kSteps) + 1) / 2)];
}

}  // namespace

Pixel to_srgb(Vec linear) noexcept {
    return {encode(linear.x), encode(linear.y), encode(linear.z)};
}

std::uint64_t hash_of(const Image& image) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3ULL; };
    add(static_cast<std::uint64_t>(image.width));
    add(static_cast<std::uint64_t>(image.height));
    for (const Pixel& pixel : image.pixels) {
        add(pixel.red);
        add(pixel.green);
        add(pixel.blue);
    }
    return hash;
}

Image shrunk(const Image& image, int width, int height) {
    if (width < 1 || height < 1 || width > image.width || height > image.height) {
        throw std::invalid_argument("shrunk: the size must be from 1 x 1 to that of the image");
    }
    const std::array<float, 256>& linear = decoded();
    Image small(width, height);
    for (int y = 0; y < height; ++y) {
        const int top = y * image.height / height;
        const int bottom = (y + 1) * image.height / height;
        for (int x = 0; x < width; ++x) {
            const int left = x * image.width / width;
            const int right = (x + 1) * image.width / width;
            Vec sum;
            for (int row = top; row < bottom; ++row) {
                for (int column = left; column < right; ++column) {
                    const Pixel& pixel = image.at(column, row);
                    sum += Vec{linear[pixel.red], linear[pixel.green], linear[pixel.blue]};
                }
            }
            small.at(x, y) = to_srgb(sum * (1.0F / static_cast<float>((bottom - top) * (right - left))));
        }
    }
    return small;
}

}  // namespace quarry::app::preview
