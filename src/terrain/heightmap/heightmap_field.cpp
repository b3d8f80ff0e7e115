#include "quarry/terrain/heightmap_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "terrain/nearest_rounding.hpp"
#include "terrain/options.hpp"
#include "terrain/scratch.hpp"

namespace quarry::terrain {
namespace {

constexpr std::int32_t kColumnBatch = 64;

// Which two pixels along an axis a place lies between, and how far it is from the first to the second.
template <class Real>
struct Between {
    std::int32_t first = 0;
    std::int32_t second = 0;
    Real share = 0;
};

// pixel: counted from the middle of the first one. Places beyond the picture, and those that are no number, are taken
// to its border.
template <class Real>
Between<Real> between(double pixel, std::int32_t size) noexcept {
    const double last = size - 1;
    const double inside = pixel > 0 ? (pixel < last ? pixel : last) : 0;
    const auto first = static_cast<std::int32_t>(inside);
    return {first, std::min(first + 1, size - 1), static_cast<Real>(inside - first)};
}

// Along x first, then along z, in the order that is written here: the bits are the same in blocks and at points.
template <class Real>
Real bilinear(const Heightmap::Level& level, const Between<Real>& x, const Between<Real>& z) noexcept {
    const std::uint16_t* const low = level.values.data() + level.index(0, z.first);
    const std::uint16_t* const high = level.values.data() + level.index(0, z.second);
    const Real a = static_cast<Real>(low[x.first]);
    const Real b = static_cast<Real>(low[x.second]);
    const Real c = static_cast<Real>(high[x.first]);
    const Real d = static_cast<Real>(high[x.second]);
    const Real at_low = a + (b - a) * x.share;
    const Real at_high = c + (d - c) * x.share;
    return at_low + (at_high - at_low) * z.share;
}

struct ValueRange {
    float low = 0;
    float high = 0;
};

// The ends of a stretch along an axis, and the pixels between them.
struct Marks {
    static constexpr std::int32_t kMost = 4;  // pixels between

    Marks(const Between<float>& from, const Between<float>& to) noexcept {
        places[count++] = from;
        for (std::int32_t pixel = from.first + 1; pixel <= to.first; ++pixel) places[count++] = {pixel, pixel, 0};
        places[count++] = to;
    }

    std::array<Between<float>, kMost + 2> places{};
    std::size_t count = 0;
};

// Within a pixel's square the extremes of a bilinear value lie in the corners of any rectangle; so few places tell all
// about a small one. A large one has the range of all its pixels.
ValueRange range_between(const Heightmap& map, const Between<float>& x0, const Between<float>& x1,
                         const Between<float>& z0, const Between<float>& z1) noexcept {
    if (std::max(x1.first - x0.first, z1.first - z0.first) > Marks::kMost) {
        const Heightmap::Range range = map.range(x0.first, z0.first, x1.second, z1.second);
        return {static_cast<float>(range.low), static_cast<float>(range.high)};
    }
    const Marks xs(x0, x1);
    const Marks zs(z0, z1);
    const Heightmap::Level& level = map.levels().front();
    ValueRange range{65'535, 0};
    for (std::size_t j = 0; j < zs.count; ++j) {
        for (std::size_t i = 0; i < xs.count; ++i) {
            const float value = bilinear(level, xs.places[i], zs.places[j]);
            range = {std::min(range.low, value), std::max(range.high, value)};
        }
    }
    return range;
}

// A pixel's number, counted in those of a reduced picture. Its first pixel's middle lies between those of the first
// 2^level ones.
double on_level(double pixel, std::size_t level) noexcept {
    const auto width = static_cast<double>(std::uint64_t{1} << level);
    return (pixel + 0.5) / width - 0.5;
}

// The coarsest picture with pixels that are not larger than the spacing.
std::size_t level_for(double spacing, double pixel_size, std::size_t levels) noexcept {
    std::size_t level = 0;
    double pixel = pixel_size;
    while (level + 1 < levels && 2 * pixel <= spacing) {
        pixel *= 2;
        ++level;
    }
    return level;
}

}  // namespace

void check(const HeightmapOptions& options) {
    impl::require_range("HeightmapOptions.pixel_size", options.pixel_size, 1e-3, 1e6);
    impl::require_range("HeightmapOptions.height_scale", options.height_scale, -1e6, 1e6);
    impl::require_range("HeightmapOptions.offset", options.offset, -1e6, 1e6);
    impl::require_range("HeightmapOptions.origin_x", options.origin_x, -1e9, 1e9);
    impl::require_range("HeightmapOptions.origin_z", options.origin_z, -1e9, 1e9);
}

HeightmapField::HeightmapField(std::shared_ptr<const Heightmap> map, const HeightmapOptions& options)
    : map_(std::move(map)), options_(options), unit_(static_cast<float>(options.height_scale / 65'535)) {
    if (map_ == nullptr) throw std::invalid_argument("HeightmapField needs a heightmap");
    check(options);
}

void HeightmapField::sample(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    // Heights do not depend on y: one plane of them serves all rows.
    const auto width = static_cast<std::size_t>(block.nx);
    impl::ScratchFloats heights(width * static_cast<std::size_t>(block.nz));
    const Heightmap::Level& level = map_->levels().front();
    std::array<Between<float>, kColumnBatch> columns;
    for (std::int32_t x = 0; x < block.nx; x += kColumnBatch) {
        const std::int32_t count = std::min(kColumnBatch, block.nx - x);
        for (std::int32_t i = 0; i < count; ++i) {
            const double at = block.lattice.x(block.first.x + (x + i) * block.step);
            columns[static_cast<std::size_t>(i)] =
                between<float>((at - options_.origin_x) / options_.pixel_size, level.width);
        }
        for (std::int32_t z = 0; z < block.nz; ++z) {
            const double at = block.lattice.z(block.first.z + z * block.step);
            const auto row = between<float>((at - options_.origin_z) / options_.pixel_size, level.height);
            float* const to = heights.data() + static_cast<std::size_t>(z) * width + static_cast<std::size_t>(x);
            for (std::int32_t i = 0; i < count; ++i) {
                to[i] = unit_ * bilinear(level, columns[static_cast<std::size_t>(i)], row);
            }
        }
    }
    for (std::int32_t z = 0; z < block.nz; ++z) {
        const float* const row = heights.data() + static_cast<std::size_t>(z) * width;
        for (std::int32_t y = 0; y < block.ny; ++y) {
            const auto base = static_cast<float>(block.lattice.y(block.first.y + y * block.step) - options_.offset);
            float* const to = out + block.index(0, y, z);
            for (std::size_t x = 0; x < width; ++x) to[x] = base - row[x];
        }
    }
}

void HeightmapField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    const Heightmap::Level& level = map_->levels().front();
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto x = between<float>((points[i].x - options_.origin_x) / options_.pixel_size, level.width);
        const auto z = between<float>((points[i].z - options_.origin_z) / options_.pixel_size, level.height);
        const auto base = static_cast<float>(points[i].y - options_.offset);
        out[i] = base - unit_ * bilinear(level, x, z);
    }
}

Interval HeightmapField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    // All that is computed from a place grows with it, rounded or not; only the bilinear value may leave the range of
    // its pixels, by the roundings of its last two steps.
    constexpr float kRounding = 0.02F;
    const auto pixel = [&](double at, double origin, std::int32_t size) {
        return between<float>((at - origin) / options_.pixel_size, size);
    };
    const ValueRange values = range_between(
        *map_, pixel(box.low.x, options_.origin_x, map_->width()), pixel(box.high.x, options_.origin_x, map_->width()),
        pixel(box.low.z, options_.origin_z, map_->height()), pixel(box.high.z, options_.origin_z, map_->height()));
    float low = unit_ * (values.low - kRounding);
    float high = unit_ * (values.high + kRounding);
    if (unit_ < 0) std::swap(low, high);
    return nearest.here(Interval{static_cast<float>(box.low.y - options_.offset) - high,
                                 static_cast<float>(box.high.y - options_.offset) - low});
}

void HeightmapField::gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    spacing = nearest.here(spacing);
    const std::size_t number = level_for(spacing, options_.pixel_size, map_->levels().size());
    const Heightmap::Level& level = map_->levels()[number];
    const auto tap = [&](double at, double origin, std::int32_t size) {
        return between<double>(on_level((at - origin) / options_.pixel_size, number), size);
    };
    // Over less than this, differences would lose their digits; the slope of a bilinear value does not change there.
    const double width = std::max(1e-3 * options_.pixel_size, spacing);
    const double half = width / 2;
    const double scale = options_.height_scale / 65'535 / width;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Position& p = points[i];
        const auto x = tap(p.x, options_.origin_x, level.width);
        const auto z = tap(p.z, options_.origin_z, level.height);
        const double along_x = bilinear(level, tap(p.x + half, options_.origin_x, level.width), z) -
                               bilinear(level, tap(p.x - half, options_.origin_x, level.width), z);
        const double along_z = bilinear(level, x, tap(p.z + half, options_.origin_z, level.height)) -
                               bilinear(level, x, tap(p.z - half, options_.origin_z, level.height));
        out[i] = {static_cast<float>(-scale * along_x), 1, static_cast<float>(-scale * along_z)};
    }
}

}  // namespace quarry::terrain
