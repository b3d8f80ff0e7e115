#include "quarry/terrain/cellular_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "terrain/nearest_rounding.hpp"
#include "terrain/noise/noise.hpp"
#include "terrain/options.hpp"
#include "terrain/rounding.hpp"

namespace quarry::terrain {
namespace {

struct CellOffset {
    float x, y, z;
};

// Where the point of a cell is within it: 10 bits of the hash for each axis.
CellOffset point_in_cell(std::uint32_t seed, std::uint32_t x, std::uint32_t y, std::uint32_t z) noexcept {
    const std::uint32_t h = impl::hash(seed, x, y, z);
    const auto part = [](std::uint32_t bits) { return (static_cast<float>(bits & 1023U) + 0.5F) / 1024; };
    return {part(h), part(h >> 10), part(h >> 20)};
}

// The points of the 27 cells around, from the corner of the one in the middle; neighbours in a batch often share them.
class CellPointsAround {
  public:
    explicit CellPointsAround(std::uint32_t seed) : seed_(seed) {}

    void go_to(std::uint32_t x, std::uint32_t y, std::uint32_t z) noexcept {
        if (filled_ && x == x_ && y == y_ && z == z_) return;
        x_ = x;
        y_ = y;
        z_ = z;
        filled_ = true;
        for (std::size_t i = 0; i < kAround; ++i) {
            const auto dx = static_cast<std::uint32_t>(i % 3), dy = static_cast<std::uint32_t>(i / 3 % 3),
                       dz = static_cast<std::uint32_t>(i / 9);
            const CellOffset in = point_in_cell(seed_, x + dx - 1, y + dy - 1, z + dz - 1);
            xs_[i] = in.x + static_cast<float>(dx) - 1;
            ys_[i] = in.y + static_cast<float>(dy) - 1;
            zs_[i] = in.z + static_cast<float>(dz) - 1;
        }
    }

    struct Nearest {
        float square;
        CellOffset way;  // from the nearest point
    };

    float nearest_square(CellOffset at) const noexcept {
        float least = 1;
        for (std::size_t i = 0; i < kAround; ++i) {
            const float x = at.x - xs_[i], y = at.y - ys_[i], z = at.z - zs_[i];
            least = std::min(least, x * x + y * y + z * z);
        }
        return least;
    }

    Nearest nearest(CellOffset at) const noexcept {
        Nearest found{1, {0, 0, 0}};
        for (std::size_t i = 0; i < kAround; ++i) {
            const float x = at.x - xs_[i], y = at.y - ys_[i], z = at.z - zs_[i];
            const float square = x * x + y * y + z * z;
            if (square < found.square) found = {square, {x, y, z}};
        }
        return found;
    }

  private:
    static constexpr std::size_t kAround = 27;

    std::uint32_t seed_;
    std::uint32_t x_ = 0, y_ = 0, z_ = 0;
    bool filled_ = false;
    std::array<float, kAround> xs_, ys_, zs_;
};

// Goes to the point's cell; says where in it the point is.
CellOffset enter(CellPointsAround& around, const Position& p, double frequency) noexcept {
    const double x = p.x * frequency, y = p.y * frequency, z = p.z * frequency;
    const double cx = std::floor(x), cy = std::floor(y), cz = std::floor(z);
    around.go_to(impl::cell_number(cx), impl::cell_number(cy), impl::cell_number(cz));
    return {static_cast<float>(x - cx), static_cast<float>(y - cy), static_cast<float>(z - cz)};
}

}  // namespace

void check(const CellularOptions& options) {
    impl::require_range("CellularOptions.frequency", options.frequency, 1e-6, 1e3);
    impl::require_range("CellularOptions.amplitude", options.amplitude, 0, 1e6);
    impl::require_range("CellularOptions.offset", options.offset, -1e6, 1e6);
}

CellularField::CellularField(const CellularOptions& options)
    : options_(options), seed_(impl::octave_seed(options.seed, 0)) {
    check(options);
}

void CellularField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    CellPointsAround around(seed_);
    const auto amplitude = static_cast<float>(options_.amplitude);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const CellOffset at = enter(around, points[i], options_.frequency);
        const float distance = std::sqrt(around.nearest_square(at));
        out[i] = static_cast<float>(points[i].y - options_.offset) - amplitude * (1 - 2 * distance);
    }
}

// The distance changes by no more than the way to the place where it is asked for, in cells.
Interval CellularField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    CellPointsAround around(seed_);
    const CellOffset at = enter(around, impl::centre_of(box), options_.frequency);
    const double middle = std::sqrt(static_cast<double>(around.nearest_square(at)));
    const double reach = impl::reach_of(box) * options_.frequency + 1e-5;
    const double least = std::max(middle - reach, 0.0);
    const double most = std::min(middle + reach, 1.0);
    const double low = box.low.y - options_.offset - options_.amplitude * (1 - 2 * least);
    const double high = box.high.y - options_.offset - options_.amplitude * (1 - 2 * most);
    const double slack =
        1e-6 * (std::abs(box.low.y) + std::abs(box.high.y) + std::abs(options_.offset) + options_.amplitude);
    return nearest.here(impl::widened(low - slack, high + slack));
}

void CellularField::gradients(std::span<const Position> points, double /*spacing*/, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    CellPointsAround around(seed_);
    const auto steepness = static_cast<float>(2 * options_.amplitude * options_.frequency);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const CellPointsAround::Nearest found = around.nearest(enter(around, points[i], options_.frequency));
        const float distance = std::sqrt(found.square);
        const float scale = found.square < 1 && distance > 0 ? steepness / distance : 0;
        out[i] = {scale * found.way.x, 1 + scale * found.way.y, scale * found.way.z};
    }
}

double CellularField::reach() const noexcept {
    return impl::kMostCellsFromZero / options_.frequency;
}

}  // namespace quarry::terrain
