#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "terrain/combination/chain.hpp"
#include "terrain/combination/joins.hpp"
#include "terrain/scratch.hpp"

namespace quarry::terrain::impl {

// About so many samples along each axis are looked at as one, when parts that end somewhere are laid over a block.
inline constexpr std::int32_t kBrickSamples = 8;

struct BrickSpan {
    std::int32_t first;
    std::int32_t count;
};

// Part `number` of a stretch of samples in bricks of about equal size.
inline BrickSpan brick_span(std::int32_t samples, std::int32_t number) noexcept {
    const std::int32_t bricks = std::max(1, samples / kBrickSamples);
    const std::int32_t first = samples * number / bricks;
    return {first, samples * (number + 1) / bricks - first};
}

inline std::int32_t bricks_along(std::int32_t samples) noexcept {
    return std::max(1, samples / kBrickSamples);
}

inline SampleBlock sub_block(const SampleBlock& block, BrickSpan x, BrickSpan y, BrickSpan z) noexcept {
    SampleBlock part = block;
    part.first = {block.first.x + x.first * block.step, block.first.y + y.first * block.step,
                  block.first.z + z.first * block.step};
    part.nx = x.count;
    part.ny = y.count;
    part.nz = z.count;
    return part;
}

// Two steps along each axis, and a little more for roundings.
inline constexpr double kTwoSteps = 3.5;

// Lays parts over the densities of a block, each where it matters.
class BlockFold {
  public:
    BlockFold(const SampleBlock& block, float* out) : block_(block), out_(out), scratch_(block.size()) {}

    void join_everywhere(const Join& join, const Field& field) {
        field.sample(block_, scratch_.data());
        join_all(join, out_, scratch_.data(), block_.size());
    }

    // The parts in their order, in bricks: of each, only what the densities there leave room for is sampled.
    //
    // Where the densities so far have one sign in a brick and around it, with room for parts (sum * so_far > 0), a
    // surface is one of the parts'. If they are distances, then each sample within two steps of it is nearer to that
    // part than kTwoSteps, and parts that are further from it change neither its density nor any sign. So for
    // Field::sample_surface no more room than that counts.
    enum class For { densities, surface_of_distances };
    void join_parts(const Join& join, std::span<const ChainPart* const> parts, For purpose) {
        find_room(join, purpose);
        std::vector<const ChainPart*> in_slab;
        std::vector<const ChainPart*> in_beam;
        for (std::int32_t k = 0; k < bricks_along(block_.nz); ++k) {
            const BrickSpan z = brick_span(block_.nz, k);
            near({{0, block_.nx}, {0, block_.ny}, z}, most_in(0, bricks_along(block_.ny), k), join, parts, in_slab);
            for (std::int32_t j = 0; j < bricks_along(block_.ny) && !in_slab.empty(); ++j) {
                const BrickSpan y = brick_span(block_.ny, j);
                near({{0, block_.nx}, y, z}, most_in(j, j + 1, k), join, in_slab, in_beam);
                for (std::int32_t i = 0; i < bricks_along(block_.nx) && !in_beam.empty(); ++i) {
                    join_in_brick(join, in_beam, {brick_span(block_.nx, i), y, z}, room_[brick_number(i, j, k)]);
                }
            }
        }
    }

  private:
    struct BrickSpans {
        BrickSpan x, y, z;
    };

    // How high sum * so_far is in a brick, at most, and how much of that counts.
    struct Room {
        float most;
        float limit;
    };

    SampleBlock part_of(const BrickSpans& spans) const { return sub_block(block_, spans.x, spans.y, spans.z); }

    std::size_t brick_number(std::int32_t i, std::int32_t j, std::int32_t k) const {
        return static_cast<std::size_t>((k * bricks_along(block_.ny) + j) * bricks_along(block_.nx) + i);
    }

    template <class Visit>
    void for_each_brick(const Visit& visit) const {
        for (std::int32_t k = 0; k < bricks_along(block_.nz); ++k) {
            for (std::int32_t j = 0; j < bricks_along(block_.ny); ++j) {
                for (std::int32_t i = 0; i < bricks_along(block_.nx); ++i) visit(i, j, k);
            }
        }
    }

    void find_room(const Join& join, For purpose) {
        const std::size_t bricks = brick_number(0, 0, bricks_along(block_.nz));
        room_.resize(bricks);
        least_.resize(bricks);
        for_each_brick([&](std::int32_t i, std::int32_t j, std::int32_t k) {
            const Interval found = signed_interval(
                join.sum, extremes_of({brick_span(block_.nx, i), brick_span(block_.ny, j), brick_span(block_.nz, k)}));
            room_[brick_number(i, j, k)] = {found.high, std::numeric_limits<float>::infinity()};
            least_[brick_number(i, j, k)] = found.low;
        });
        if (purpose == For::densities) return;
        const auto limit = static_cast<float>(kTwoSteps * block_.step * block_.lattice.voxel_size);
        for_each_brick([&](std::int32_t i, std::int32_t j, std::int32_t k) {
            if (!is_positive_around(i, j, k)) return;
            Room& room = room_[brick_number(i, j, k)];
            room = {std::min(room.most, limit), limit};
        });
    }

    // Whether sum * so_far is above 0 in the brick and in those beside it, which are at least two samples wide.
    bool is_positive_around(std::int32_t i, std::int32_t j, std::int32_t k) const {
        for (std::int32_t c = std::max(k - 1, 0); c <= std::min(k + 1, bricks_along(block_.nz) - 1); ++c) {
            for (std::int32_t b = std::max(j - 1, 0); b <= std::min(j + 1, bricks_along(block_.ny) - 1); ++b) {
                for (std::int32_t a = std::max(i - 1, 0); a <= std::min(i + 1, bricks_along(block_.nx) - 1); ++a) {
                    if (!(least_[brick_number(a, b, c)] > 0)) return false;
                }
            }
        }
        return true;
    }

    BrickShape shape_of(const BrickSpans& at) const {
        return {.nx = static_cast<std::size_t>(at.x.count),
                .ny = static_cast<std::size_t>(at.y.count),
                .nz = static_cast<std::size_t>(at.z.count),
                .row = block_.index(0, 1, 0),
                .plane = block_.index(0, 0, 1)};
    }

    float* start_of(const BrickSpans& at) const { return out_ + block_.index(at.x.first, at.y.first, at.z.first); }

    Interval extremes_of(const BrickSpans& at) const { return extremes(start_of(at), shape_of(at)); }

    // Over some bricks along y, and all along x.
    float most_in(std::int32_t first, std::int32_t last, std::int32_t k) const {
        float most = -std::numeric_limits<float>::infinity();
        for (std::size_t i = brick_number(0, first, k); i < brick_number(0, last, k); ++i) {
            most = std::max(most, room_[i].most);
        }
        return most;
    }

    void near(const BrickSpans& at, float most, const Join& join, std::span<const ChainPart* const> from,
              std::vector<const ChainPart*>& to) const {
        to.clear();
        const Box box = box_of(part_of(at));
        const double reach = static_cast<double>(most) + static_cast<double>(join.blend);
        for (const ChainPart* const part : from) {
            const double gap = gap_between(box, *part->extent);
            if (gap == 0 || gap <= reach) to.push_back(part);
        }
    }

    void join_in_brick(const Join& join, std::span<const ChainPart* const> parts, const BrickSpans& at, Room room) {
        const SampleBlock brick = part_of(at);
        const Box box = box_of(brick);
        for (const ChainPart* const part : parts) {
            const double gap = gap_between(box, *part->extent);
            if (gap > 0 && gap > static_cast<double>(room.most) + static_cast<double>(join.blend)) continue;
            if (signed_interval(join.part, part->field->bounds(box)).low - room.most > join.blend) continue;
            part->field->sample(brick, scratch_.data());
            join_brick(join, start_of(at), shape_of(at), scratch_.data());
            // The next part has less room.
            if (part != parts.back()) {
                room.most = std::min(signed_interval(join.sum, extremes_of(at)).high, room.limit);
            }
        }
    }

    std::vector<Room> room_;
    std::vector<float> least_;
    const SampleBlock& block_;
    float* const out_;
    ScratchFloats scratch_;
};

}  // namespace quarry::terrain::impl
