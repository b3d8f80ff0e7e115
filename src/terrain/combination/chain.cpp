#include "terrain/combination/chain.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "terrain/combination/block_fold.hpp"
#include "terrain/combination/joins.hpp"
#include "terrain/combination/selection.hpp"
#include "terrain/nearest_rounding.hpp"

namespace quarry::terrain::impl {
namespace {

// Runs with fewer parts are looked through one by one.
constexpr std::size_t kPartsForHierarchy = 8;

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
    sample_selected(Selection(*this, box_of(block)), block, out, false);
}

void Chain::sample_surface(const SampleBlock& block, float* out) const {
    const Selection selection(*this, box_of(block));
    const auto& kept = selection.kept();
    if (selection.first_part() == kept.size() && selection.first_sign() > 0) {
        selection.first().sample_surface(block, out);
        return;
    }
    const bool are_distances = std::all_of(kept.begin() + static_cast<std::ptrdiff_t>(selection.first_part()),
                                           kept.end(), [&](const Selection::Kept& each) {
                                               const ChainRun& run = runs_[each.run];
                                               const ChainPart& part = run.parts[each.part];
                                               return each.run == kept.back().run && run.join.goes_on() &&
                                                      !(run.join.blend > 0) && part.extent && part.field->is_distance();
                                           });
    sample_selected(selection, block, out, are_distances);
}

// surface_of_distances: for sample_surface, where all parts are distances, of one run that has no blend.
void Chain::sample_selected(const Selection& selection, const SampleBlock& block, float* out,
                            bool surface_of_distances) const {
    const auto purpose = surface_of_distances ? BlockFold::For::surface_of_distances : BlockFold::For::densities;
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
        fold.join_parts(run.join, parts, purpose);
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

void ChainField::sample_surface(const SampleBlock& block, float* out) const {
    const NearestRounding nearest;
    chain_.sample_surface(block, out);
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
