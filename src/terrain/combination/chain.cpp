#include "terrain/combination/chain.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "terrain/combination/joins.hpp"
#include "terrain/combination/selection.hpp"
#include "terrain/nearest_rounding.hpp"
#include "terrain/scratch.hpp"

namespace quarry::terrain::impl {
namespace {

// Runs with fewer parts are looked through one by one.
constexpr std::size_t kPartsForHierarchy = 8;

// About so many samples along each axis are looked at as one, when parts that end somewhere are laid over a block.
constexpr std::int32_t kBrickSamples = 8;

struct BrickSpan {
    std::int32_t first;
    std::int32_t count;
};

// Part `number` of a stretch of samples in bricks of about equal size.
BrickSpan brick_span(std::int32_t samples, std::int32_t number) noexcept {
    const std::int32_t bricks = std::max(1, samples / kBrickSamples);
    const std::int32_t first = samples * number / bricks;
    return {first, samples * (number + 1) / bricks - first};
}

std::int32_t bricks_along(std::int32_t samples) noexcept {
    return std::max(1, samples / kBrickSamples);
}

SampleBlock sub_block(const SampleBlock& block, BrickSpan x, BrickSpan y, BrickSpan z) noexcept {
    SampleBlock part = block;
    part.first = {block.first.x + x.first * block.step, block.first.y + y.first * block.step,
                  block.first.z + z.first * block.step};
    part.nx = x.count;
    part.ny = y.count;
    part.nz = z.count;
    return part;
}

// Lays parts over the densities of a block, each where it matters.
class BlockFold {
  public:
    BlockFold(const SampleBlock& block, float* out) : block_(block), out_(out), scratch_(block.size()) {}

    void join_everywhere(const Join& join, const Field& field) {
        field.sample(block_, scratch_.data());
        join_all(join, out_, scratch_.data(), block_.size());
    }

    // The parts in their order, in bricks: of each, only what the densities there leave room for is sampled.
    void join_parts(const Join& join, std::span<const ChainPart* const> parts) {
        find_most(join);
        std::vector<const ChainPart*> in_slab;
        std::vector<const ChainPart*> in_beam;
        for (std::int32_t k = 0; k < bricks_along(block_.nz); ++k) {
            const BrickSpan z = brick_span(block_.nz, k);
            near({{0, block_.nx}, {0, block_.ny}, z}, most_in(0, bricks_along(block_.ny), k), join, parts, in_slab);
            for (std::int32_t j = 0; j < bricks_along(block_.ny) && !in_slab.empty(); ++j) {
                const BrickSpan y = brick_span(block_.ny, j);
                near({{0, block_.nx}, y, z}, most_in(j, j + 1, k), join, in_slab, in_beam);
                for (std::int32_t i = 0; i < bricks_along(block_.nx) && !in_beam.empty(); ++i) {
                    join_in_brick(join, in_beam, {brick_span(block_.nx, i), y, z}, most_[brick_number(i, j, k)]);
                }
            }
        }
    }

  private:
    struct BrickSpans {
        BrickSpan x, y, z;
    };

    SampleBlock part_of(const BrickSpans& spans) const { return sub_block(block_, spans.x, spans.y, spans.z); }

    std::size_t brick_number(std::int32_t i, std::int32_t j, std::int32_t k) const {
        return static_cast<std::size_t>((k * bricks_along(block_.ny) + j) * bricks_along(block_.nx) + i);
    }

    // sum * so_far at its highest, in each brick.
    void find_most(const Join& join) {
        most_.assign(brick_number(0, 0, bricks_along(block_.nz)), -std::numeric_limits<float>::infinity());
        for (std::int32_t k = 0; k < bricks_along(block_.nz); ++k) {
            for (std::int32_t j = 0; j < bricks_along(block_.ny); ++j) {
                for (std::int32_t i = 0; i < bricks_along(block_.nx); ++i) {
                    most_[brick_number(i, j, k)] =
                        most_of(join, {brick_span(block_.nx, i), brick_span(block_.ny, j), brick_span(block_.nz, k)});
                }
            }
        }
    }

    float most_of(const Join& join, const BrickSpans& at) const {
        return highest(join.sum, out_ + block_.index(at.x.first, at.y.first, at.z.first),
                       {.nx = static_cast<std::size_t>(at.x.count),
                        .ny = static_cast<std::size_t>(at.y.count),
                        .nz = static_cast<std::size_t>(at.z.count),
                        .row = block_.index(0, 1, 0),
                        .plane = block_.index(0, 0, 1)});
    }

    // Over some bricks along y, and all along x.
    float most_in(std::int32_t first, std::int32_t last, std::int32_t k) const {
        return *std::max_element(most_.begin() + static_cast<std::ptrdiff_t>(brick_number(0, first, k)),
                                 most_.begin() + static_cast<std::ptrdiff_t>(brick_number(0, last, k)));
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

    void join_in_brick(const Join& join, std::span<const ChainPart* const> parts, const BrickSpans& at, float most) {
        const SampleBlock brick = part_of(at);
        const Box box = box_of(brick);
        const auto width = static_cast<std::size_t>(at.x.count);
        for (const ChainPart* const part : parts) {
            const double gap = gap_between(box, *part->extent);
            if (gap > 0 && gap > static_cast<double>(most) + static_cast<double>(join.blend)) continue;
            if (signed_interval(join.part, part->field->bounds(box)).low - most > join.blend) continue;
            part->field->sample(brick, scratch_.data());
            const float* from = scratch_.data();
            for (std::int32_t z = at.z.first; z < at.z.first + at.z.count; ++z) {
                for (std::int32_t y = at.y.first; y < at.y.first + at.y.count; ++y) {
                    join_all(join, out_ + block_.index(at.x.first, y, z), from, width);
                    from += width;
                }
            }
            // The next part has less room.
            if (part != parts.back()) most = most_of(join, at);
        }
    }

    std::vector<float> most_;
    const SampleBlock& block_;
    float* const out_;
    ScratchFloats scratch_;
};

Box box_around(std::span<const Position> points) noexcept {
    Box box{points.front(), points.front()};
    for (const Position& at : points) box = hull_of(box, {at, at});
    return box;
}

constexpr std::size_t kPointsAtOnce = 64;
constexpr std::size_t kMostPartsAtOnce = 24;

// The parts of a run that may matter at points, in their order; false where they are so many that fewer points should
// be looked at.
bool parts_near(const ChainRun& run, const Box& box, float most, bool limited, std::vector<std::uint32_t>& found) {
    found.clear();
    const float blend = run.join.blend;
    const auto look_at = [&](std::uint32_t part) {
        const Interval bounds = signed_interval(run.join.part, run.parts[part].field->bounds(box));
        if (run.join.goes_on() && bounds.low - most > blend) return true;
        found.push_back(part);
        if (!(blend > 0)) most = std::min(most, bounds.high);
        return !limited || found.size() <= kMostPartsAtOnce + run.everywhere.size();
    };
    for (const std::uint32_t part : run.everywhere) look_at(part);
    run.hierarchy.find(
        box, [&] { return static_cast<double>(most) + static_cast<double>(blend); }, look_at);
    std::sort(found.begin(), found.end());
    return !limited || found.size() <= kMostPartsAtOnce + run.everywhere.size();
}

// Calls visit(part, first, count) for each part and the points, out of the first `count` from `first` on, where it may
// matter. values are the densities so far, which visit changes.
template <class Visit>
void for_parts_near(const ChainRun& run, std::span<const Position> points, std::span<const float> values,
                    std::size_t first, std::size_t count, const Visit& visit) {
    float most = -std::numeric_limits<float>::infinity();
    for (std::size_t i = first; i < first + count; ++i) most = std::max(most, run.join.sum * values[i]);
    std::vector<std::uint32_t> found;
    if (!parts_near(run, box_around(points.subspan(first, count)), most, count > 1, found)) {
        for_parts_near(run, points, values, first, count / 2, visit);
        for_parts_near(run, points, values, first + count / 2, count - count / 2, visit);
        return;
    }
    for (const std::uint32_t part : found) visit(*run.parts[part].field, first, count);
}

}  // namespace

Chain::Chain(std::shared_ptr<const Field> base, float base_sign, std::vector<ChainRun> runs)
    : base_(std::move(base)), base_sign_(base_sign), runs_(std::move(runs)) {
    for (ChainRun& run : runs_) {
        std::vector<Hierarchy::Entry> entries;
        for (std::uint32_t i = 0; i < run.parts.size(); ++i) {
            // Extents say where a part is solid; of one that is negated they say nothing.
            ChainPart& part = run.parts[i];
            if (run.join.part < 0) part.extent.reset();
            if (part.extent && run.parts.size() >= kPartsForHierarchy) {
                entries.push_back({*part.extent, i});
            } else {
                run.everywhere.push_back(i);
            }
        }
        run.hierarchy = Hierarchy(std::move(entries));
    }
}

void Chain::sample(const SampleBlock& block, float* out) const {
    const Selection selection(*this, box_of(block));
    selection.first().sample(block, out);
    if (selection.first_sign() < 0) {
        for (std::size_t i = 0; i < block.size(); ++i) out[i] = -out[i];
    }
    const auto& kept = selection.kept();
    if (selection.first_part() == kept.size()) return;
    BlockFold fold(block, out);
    std::vector<const ChainPart*> parts;
    for (std::size_t i = selection.first_part(); i < kept.size();) {
        const ChainRun& run = runs_[kept[i].run];
        const ChainPart& part = run.parts[kept[i].part];
        if (!part.extent) {
            fold.join_everywhere(run.join, *part.field);
            ++i;
            continue;
        }
        parts.clear();
        const std::uint32_t number = kept[i].run;
        for (; i < kept.size() && kept[i].run == number && run.parts[kept[i].part].extent; ++i) {
            parts.push_back(&run.parts[kept[i].part]);
        }
        fold.join_parts(run.join, parts);
    }
}

void Chain::densities(std::span<const Position> points, std::span<float> out) const {
    base_->densities(points, out);
    if (base_sign_ < 0) {
        for (float& each : out) each = -each;
    }
    std::array<float, kPointsAtOnce> others;
    for (const ChainRun& run : runs_) {
        for (std::size_t at = 0; at < points.size(); at += kPointsAtOnce) {
            const std::size_t batch = std::min(kPointsAtOnce, points.size() - at);
            for_parts_near(run, points, out, at, batch, [&](const Field& part, std::size_t first, std::size_t count) {
                part.densities(points.subspan(first, count), std::span(others).first(count));
                for (std::size_t i = 0; i < count; ++i) out[first + i] = run.join(out[first + i], others[i]);
            });
        }
    }
}

void Chain::gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const {
    base_->gradients(points, spacing, out);
    std::vector<float> values(points.size());
    base_->densities(points, values);
    if (base_sign_ < 0) {
        for (std::size_t i = 0; i < points.size(); ++i) {
            values[i] = -values[i];
            out[i] = {-out[i].x, -out[i].y, -out[i].z};
        }
    }
    std::array<float, kPointsAtOnce> others;
    std::array<Gradient, kPointsAtOnce> slopes;
    for (const ChainRun& run : runs_) {
        const Join& join = run.join;
        const auto join_slopes = [&](const Field& part, std::size_t first, std::size_t count) {
            part.densities(points.subspan(first, count), std::span(others).first(count));
            part.gradients(points.subspan(first, count), spacing, std::span(slopes).first(count));
            for (std::size_t i = 0; i < count; ++i) {
                Gradient& g = out[first + i];
                const float a = join.sum * values[first + i];
                const float b = join.part * others[i];
                values[first + i] = join(values[first + i], others[i]);
                const float overlap = join.blend - std::abs(a - b);
                const float lesser =
                    overlap > 0 ? overlap / (2 * join.blend) : 0;  // the share of the greater of the two
                const float own = join.out * join.sum * (a <= b ? 1 - lesser : lesser);
                const float other = join.out * join.part * (a <= b ? lesser : 1 - lesser);
                // One that has no share adds no zeroes either: they may have the other sign.
                if (other == 0) {
                    g = {own * g.x, own * g.y, own * g.z};
                } else if (own == 0) {
                    g = {other * slopes[i].x, other * slopes[i].y, other * slopes[i].z};
                } else {
                    g = {own * g.x + other * slopes[i].x, own * g.y + other * slopes[i].y,
                         own * g.z + other * slopes[i].z};
                }
            }
        };
        for (std::size_t at = 0; at < points.size(); at += kPointsAtOnce) {
            for_parts_near(run, points, values, at, std::min(kPointsAtOnce, points.size() - at), join_slopes);
        }
    }
}

Interval Chain::bounds(const Box& box) const {
    return Selection(*this, box).bounds();
}

std::optional<Chain> Chain::within(const Box& box) const {
    const Selection selection(*this, box);
    Chain less = selection.remaining();
    if (selection.is_everything() && less.base_ == base_) {
        bool same = true;
        for (std::size_t i = 0; i < runs_.size() && same; ++i) {
            for (std::size_t j = 0; j < runs_[i].parts.size() && same; ++j) {
                same = less.runs_[i].parts[j].field == runs_[i].parts[j].field;
            }
        }
        if (same) return std::nullopt;
    }
    return less;
}

void ChainField::sample(const SampleBlock& block, float* out) const {
    const NearestRounding nearest;
    chain_.sample(block, out);
}

void ChainField::densities(std::span<const Position> points, std::span<float> out) const {
    const NearestRounding nearest;
    chain_.densities(points, out);
}

Interval ChainField::bounds(const Box& box) const {
    const NearestRounding nearest;
    return nearest.here(chain_.bounds(box));
}

void ChainField::gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const {
    const NearestRounding nearest;
    chain_.gradients(points, nearest.here(spacing), out);
}

std::shared_ptr<const Field> ChainField::field_within(const Chain& chain, const Box& box, double reach) {
    std::optional<Chain> less = chain.within(box);
    if (!less) return nullptr;
    if (!less->has_parts() && less->base_sign() > 0) return less->base();
    return std::make_shared<const ChainField>(std::move(*less), reach);
}

}  // namespace quarry::terrain::impl
