#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "quarry/terrain/world.hpp"
#include "terrain/world/limits.hpp"

namespace quarry::terrain {
namespace {

// Chunks of a block lie side by side in the list, so that bounds can be asked for all of them at once.
constexpr std::int32_t kBlock = 4;

double width_of_chunk(const GridOptions& options) {
    impl::require_cells(options.cells);
    impl::check_voxel_size(options.voxel_size);
    if (options.lod < 0 || options.lod > kCoarsestLod) {
        throw std::invalid_argument("lod is " + std::to_string(options.lod) + "; 0 to " + std::to_string(kCoarsestLod) +
                                    " is allowed");
    }
    return options.cells * std::ldexp(options.voxel_size, options.lod);
}

// The places first <= x < last; they may be none.
struct Row {
    std::int32_t first;
    std::int32_t last;
};

// Chunks whose middle (x + 1/2, y + 1/2, z + 1/2) lies within a ball around 0, decided in whole numbers.
class Ball {
  public:
    // Of a radius in chunks.
    explicit Ball(double radius)
        : square_of_diameter_(static_cast<std::int64_t>(std::floor(4 * radius * radius))),
          reach_(static_cast<std::int32_t>(std::ceil(radius))) {}

    std::int32_t reach() const { return reach_; }

    Row row(std::int32_t y, std::int32_t z) const {
        const std::int64_t rest = square_of_diameter_ - odd_square(y) - odd_square(z);
        if (rest < 1) return {0, 0};
        auto half = static_cast<std::int32_t>((std::sqrt(static_cast<double>(rest)) + 1) / 2);
        // x from 0 to half - 1 are inside: the square root may have been rounded either way.
        while (odd_square(half) <= rest) ++half;
        while (half > 0 && odd_square(half - 1) > rest) --half;
        return {-half, half};
    }

    std::uint64_t count() const {
        std::uint64_t chunks = 0;
        for (std::int32_t z = -reach_; z < reach_; ++z) {
            for (std::int32_t y = -reach_; y < reach_; ++y) {
                const Row here = row(y, z);
                chunks += static_cast<std::uint64_t>(here.last - here.first);
            }
        }
        return chunks;
    }

  private:
    static std::int64_t odd_square(std::int32_t place) {
        const std::int64_t twice = 2 * std::int64_t{place} + 1;
        return twice * twice;
    }

    std::int64_t square_of_diameter_;
    std::int32_t reach_;
};

std::int32_t block_of(std::int32_t place) {
    return place >= 0 ? place / kBlock : -((kBlock - 1 - place) / kBlock);
}

// Calls visit(first, last) for first .. last - 1, cut where blocks end.
template <class Visit>
void for_each_block(std::int32_t first, std::int32_t last, Visit visit) {
    for (std::int32_t at = first; at < last;) {
        const std::int32_t end = std::min(last, (block_of(at) + 1) * kBlock);
        visit(at, end);
        at = end;
    }
}

// row(y, z) says which x are there; low <= x, y, z < high bounds them.
template <class RowAt>
void add_blocks(std::int32_t lod, const std::array<std::int32_t, 3>& low, const std::array<std::int32_t, 3>& high,
                RowAt row, std::vector<PlacedChunk>& places) {
    const auto add_block = [&](Row xs, Row ys, Row zs) {
        for (std::int32_t z = zs.first; z < zs.last; ++z) {
            for (std::int32_t y = ys.first; y < ys.last; ++y) {
                const Row here = row(y, z);
                const std::int32_t last = std::min(xs.last, here.last);
                for (std::int32_t x = std::max(xs.first, here.first); x < last; ++x) {
                    places.push_back({{lod, x, y, z}, 0});
                }
            }
        }
    };
    for_each_block(low[2], high[2], [&](std::int32_t z, std::int32_t end_z) {
        for_each_block(low[1], high[1], [&](std::int32_t y, std::int32_t end_y) {
            for_each_block(low[0], high[0], [&](std::int32_t x, std::int32_t end_x) {
                add_block({x, end_x}, {y, end_y}, {z, end_z});
            });
        });
    });
}

}  // namespace

std::vector<PlacedChunk> sphere_world(double radius, const GridOptions& options) {
    const double width = width_of_chunk(options);
    impl::check_size("radius", radius);
    const double in_chunks = radius / width;
    // Chunks that reach into a ball that is smaller by half a diagonal have their middle in this one. Before the reach:
    // that a world is too large for memory says more.
    const double filled = std::max(0.0, in_chunks - 0.87);
    impl::check_count("at least ", 4.0 / 3 * std::numbers::pi * filled * filled * filled, options.most_chunks);
    impl::check_reach((std::ceil(in_chunks) + 1) * std::ldexp(options.cells, options.lod));
    const Ball ball(in_chunks);
    const std::uint64_t count = ball.count();
    impl::check_count("", static_cast<double>(count), options.most_chunks);
    std::vector<PlacedChunk> places;
    places.reserve(count);
    const std::int32_t reach = ball.reach();
    add_blocks(
        options.lod, {-reach, -reach, -reach}, {reach, reach, reach},
        [&](std::int32_t y, std::int32_t z) { return ball.row(y, z); }, places);
    return places;
}

std::vector<PlacedChunk> box_world(const Position& size, const GridOptions& options) {
    const double width = width_of_chunk(options);
    std::array<double, 3> chunks{size.x, size.y, size.z};
    constexpr std::array<const char*, 3> kNames{"size.x", "size.y", "size.z"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        impl::check_size(kNames[axis], chunks[axis]);
        chunks[axis] = std::ceil(chunks[axis] / width);
    }
    impl::check_count("", chunks[0] * chunks[1] * chunks[2], options.most_chunks);
    std::array<std::int32_t, 3> low{};
    std::array<std::int32_t, 3> high{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        impl::check_reach((chunks[axis] + 1) / 2 * std::ldexp(options.cells, options.lod));
        const auto along = static_cast<std::int32_t>(chunks[axis]);
        low[axis] = -(along / 2);
        high[axis] = low[axis] + along;
    }
    std::vector<PlacedChunk> places;
    places.reserve(static_cast<std::size_t>(chunks[0] * chunks[1] * chunks[2]));
    add_blocks(
        options.lod, low, high,
        [&](std::int32_t, std::int32_t) {
            return Row{low[0], high[0]};
        },
        places);
    return places;
}

}  // namespace quarry::terrain
