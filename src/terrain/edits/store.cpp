#include "terrain/edits/store.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "quarry/terrain/loose_parts.hpp"
#include "terrain/content_hasher.hpp"
#include "terrain/edits/loose_search.hpp"
#include "terrain/nearest_rounding.hpp"
#include "terrain/options.hpp"

namespace quarry::terrain::edits {
namespace {

// Large edits are made part by part, aligned to bricks.
constexpr std::int32_t kTileSize = 64;
static_assert(kTileSize % kBrickSize == 0);

constexpr std::size_t kMostStamps = 65'536;

template <class Visit>
void for_each_part(const LatticeBox& box, std::int32_t size, Visit visit) {
    const auto down = [&](std::int32_t at) { return at & ~(size - 1); };
    for (std::int32_t z = down(box.low.z); z <= box.high.z; z += size) {
        for (std::int32_t y = down(box.low.y); y <= box.high.y; y += size) {
            for (std::int32_t x = down(box.low.x); x <= box.high.x; x += size) {
                visit(common(box, {{x, y, z}, {x + size - 1, y + size - 1, z + size - 1}}));
            }
        }
    }
}

// Calls visit(first, y, z) with the number of the first value of each row.
template <class Visit>
void for_each_row(const BrickPart& part, Visit visit) {
    for (std::int32_t z = part.first.z; z <= part.last.z; ++z) {
        for (std::int32_t y = part.first.y; y <= part.last.y; ++y) {
            visit(static_cast<std::size_t>((z * kBrickSize + y) * kBrickSize), y, z);
        }
    }
}

std::uint32_t painted_over(std::uint32_t below, std::uint8_t material, float share) {
    // Shares of 255 that stay together at most 255: what is below is rounded down.
    std::uint32_t result = 0;
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
        if (i == material) continue;
        const auto before = static_cast<float>(below >> 8 * i & 255);
        const auto after = static_cast<std::uint32_t>(before * (1 - share));
        result |= after << 8 * i;
        sum += after;
    }
    const auto before = static_cast<float>(below >> 8U * material & 255);
    const auto after = static_cast<std::uint32_t>(std::ceil(before + share * (255 - before)));
    return result | std::min(after, 255 - sum) << 8U * material;
}

}  // namespace

Store::Store(std::shared_ptr<const Field> ground, const EditWorldOptions& options)
    : ground_(std::move(ground)), options_(options), fixed_(options.lattice.voxel_size), history_(options.undo_bytes) {
    if (ground_ == nullptr) throw std::invalid_argument("EditWorld needs a field");
    terrain::check(SampleBlock{.lattice = options.lattice});
    impl::require_range("EditWorldOptions.lattice.voxel_size", options.lattice.voxel_size, 1e-6, 1e6);
    impl::require_range("EditWorldOptions.undo_bytes", static_cast<double>(options.undo_bytes), 65'536,
                        68'719'476'736.0);
}

EditReport Store::apply(const Edit& edit) {
    const impl::NearestRounding nearest;
    check(edit, stamps_, options_.lattice);
    EditReport report;
    Changed changed;
    if (edit.kind == EditKind::undo || edit.kind == EditKind::redo) {
        const auto made = history_.set_active({edit.editor, edit.stroke}, edit.kind == EditKind::redo, trees_);
        report.done = made.has_value();
        if (made) changed = *made;
    } else if (edit.kind == EditKind::remove) {
        history_.begin({edit.editor, edit.stroke}, trees_);
        report.done = remove_part(edit.at, changed);
        history_.end(trees_);
    } else {
        const Brush brush(edit, stamps_, options_.lattice);
        const LatticeBox box = brush.reach();
        if (source_ != nullptr && !box.empty()) {
            // Smoothing reads one point further.
            source_->need(
                {{box.low.x - 1, box.low.y - 1, box.low.z - 1}, {box.high.x + 1, box.high.y + 1, box.high.z + 1}});
        }
        history_.begin({edit.editor, edit.stroke}, trees_);
        if (edit.kind == EditKind::paint) {
            change_paint(edit, brush, box, changed);
        } else {
            change_densities(edit, brush, box, changed);
        }
        history_.end(trees_);
        report.done = true;
    }
    ++applied_;
    report.samples = changed.samples;
    report.painted = changed.painted;
    if (report.any()) {
        report.changed = {options_.lattice.at(changed.box.low), options_.lattice.at(changed.box.high)};
        last_ = nullptr;
    }
    return report;
}

void Store::change_densities(const Edit& edit, const Brush& brush, const LatticeBox& box, Changed& changed) {
    if (box.empty()) return;
    const bool smooths = edit.kind == EditKind::smooth;
    // Smoothing reads beside the part that it writes: as all was before.
    BrickTree<DensityBrick> before;
    if (smooths) {
        trees_.densities.freeze();
        before = trees_.densities;
    }
    const std::int32_t border = smooths ? 1 : 0;
    const DensityChange change = brush.change(fixed_.steps());
    const auto change_tile = [&](const LatticeBox& part) {
        const SampleBlock around{.first = {part.low.x - border, part.low.y - border, part.low.z - border},
                                 .nx = part.high.x - part.low.x + 1 + 2 * border,
                                 .ny = part.high.y - part.low.y + 1 + 2 * border,
                                 .nz = part.high.z - part.low.z + 1 + 2 * border,
                                 .lattice = options_.lattice};
        sample(around, smooths ? &before : nullptr);
        for_each_part(part, kBrickSize,
                      [&](const LatticeBox& some) { change_brick(change, brush, around, some, changed); });
    };
    const auto is_small = [](std::int32_t low, std::int32_t high) { return high - low < kTileSize; };
    if (is_small(box.low.x, box.high.x) && is_small(box.low.y, box.high.y) && is_small(box.low.z, box.high.z)) {
        change_tile(box);
    } else {
        for_each_part(box, kTileSize, change_tile);
    }
}

// Into current_: the field alone, or with edits. Edits of a stroke that lie close together often have the same block.
void Store::sample(const SampleBlock& block, const BrickTree<DensityBrick>* densities) {
    if (densities == nullptr && block == sampled_) return;
    sampled_.reset();
    // Rows of bricks are read as a whole, from wherever they begin.
    current_.resize(block.size() + 2 * kBrickSize);
    float* const out = current_.data() + kBrickSize;
    if (densities != nullptr) {
        sample_edited(*ground_, *densities, fixed_, block, out);
    } else {
        ground_->sample(block, out);
        sampled_ = block;
    }
}

// Densities of a brick, as far as they lie in the box. current_ has those of the block around it.
void Store::change_brick(const DensityChange& change, const Brush& brush, const SampleBlock& around,
                         const LatticeBox& box, Changed& changed) {
    const BrickKey key = key_of(box.low);
    const LatticePoint corner = first_of(key);
    const DensityBrick* const old = trees_.densities.find(key);
    BrickPart part;
    part.first = {box.low.x - corner.x, box.low.y - corner.y, box.low.z - corner.z};
    part.last = {box.high.x - corner.x, box.high.y - corner.y, box.high.z - corner.z};
    part.stored = old == nullptr ? nullptr : old->values.data();
    const LatticePoint origin = around.first;
    part.ground = current_.data() + kBrickSize +
                  around.index(box.low.x - origin.x, box.low.y - origin.y, box.low.z - origin.z) - part.first.x;
    part.row = around.nx;
    part.slice = part.row * around.ny;
    if (brush.is_stamp()) {
        distances_.resize(DensityBrick::kValues);
        for_each_row(part, [&](std::size_t row, std::int32_t y, std::int32_t z) {
            brush.distances({corner.x, corner.y + y, corner.z + z}, 1, std::span(distances_).subspan(row, kBrickSize));
        });
        part.distances = distances_.data();
    } else {
        brush.place(corner, part);
    }
    if (change.towards == DensityChange::Towards::a_target) {
        targets_.resize(DensityBrick::kValues);
        for_each_row(part, [&](std::size_t row, std::int32_t y, std::int32_t z) {
            brush.heights({corner.x, corner.y + y, corner.z + z}, 1, std::span(targets_).subspan(row, kBrickSize));
        });
        part.targets = targets_.data();
    }
    if (edits::change_densities(change, part, *changed_rows_)) write_rows(key, part, changed);
}

void Store::write_rows(const BrickKey& key, const BrickPart& part, Changed& changed) {
    history_.hold<DensityBrick>(key, trees_.densities);
    DensityBrick& brick = trees_.densities.writable(key);
    const LatticePoint corner = first_of(key);
    std::uint32_t columns = 0;
    LatticeBox box = LatticeBox::nothing();
    for_each_row(part, [&](std::size_t first, std::int32_t y, std::int32_t z) {
        const std::uint32_t bits = changed_rows_->columns[first / kBrickSize];
        if (bits == 0) return;
        std::copy_n(changed_rows_->values.begin() + static_cast<std::ptrdiff_t>(first), kBrickSize,
                    brick.values.begin() + static_cast<std::ptrdiff_t>(first));
        columns |= bits;
        changed.samples += static_cast<std::uint64_t>(std::popcount(bits));
        box.include(LatticePoint{corner.x, corner.y + y, corner.z + z});
    });
    box.low.x = corner.x + std::countr_zero(columns);
    box.high.x = corner.x + static_cast<std::int32_t>(std::bit_width(columns)) - 1;
    changed.box.include(box);
    trees_.densities.refresh(key);
}

template <class Brick>
void Store::write(const BrickKey& key, LatticePoint point, typename Brick::Value value, Brick*& brick,
                  Changed& changed) {
    if (brick == nullptr) {
        history_.hold<Brick>(key, trees_.of<Brick>());
        brick = &trees_.of<Brick>().writable(key);
    }
    brick->values[index_of<Brick>(point)] = value;
    changed.box.include(point);
    ++(std::is_same_v<Brick, DensityBrick> ? changed.samples : changed.painted);
}

void Store::change_paint(const Edit& edit, const Brush& brush, const LatticeBox& box, Changed& changed) {
    constexpr std::int32_t kSpacing = PaintBrick::kSpacing;
    for_each_part(box, kBrickSize, [&](const LatticeBox& part) {
        const BrickKey key = key_of(part.low);
        const PaintBrick* const old = trees_.paint.find(key);
        PaintBrick* brick = nullptr;
        const auto even = [](std::int32_t at) { return at + (at & 1); };
        const LatticePoint low{even(part.low.x), even(part.low.y), even(part.low.z)};
        if (low.x > part.high.x) return;
        distances_.resize(static_cast<std::size_t>((part.high.x - low.x) / kSpacing + 1));
        for (std::int32_t z = low.z; z <= part.high.z; z += kSpacing) {
            for (std::int32_t y = low.y; y <= part.high.y; y += kSpacing) {
                brush.distances({low.x, y, z}, kSpacing, distances_);
                for (std::size_t i = 0; i < distances_.size(); ++i) {
                    const float share = brush.share(distances_[i]);
                    if (!(share > 0)) continue;
                    const LatticePoint point{low.x + static_cast<std::int32_t>(i) * kSpacing, y, z};
                    const PaintBrick* const seen = brick != nullptr ? brick : old;
                    const std::uint32_t before =
                        seen == nullptr ? PaintBrick::kUntouched : seen->values[index_of<PaintBrick>(point)];
                    const std::uint32_t after = painted_over(before, edit.material, share);
                    if (after != before) write(key, point, after, brick, changed);
                }
            }
        }
        if (brick != nullptr) trees_.paint.refresh(key);
    });
}

// Its points get the distance that they had, but to the other side: nothing is left in the middle, and nothing changes
// around it.
bool Store::remove_part(Position at, Changed& changed) {
    const Lattice& lattice = options_.lattice;
    const auto nearest = [&](double coordinate, double origin) {
        return static_cast<std::int32_t>(std::nearbyint((coordinate - origin) / lattice.voxel_size));
    };
    LooseSearch search(*ground_, trees_.densities, fixed_, lattice, source_);
    std::optional<LooseShape> part = search.part_at(
        {nearest(at.x, lattice.origin.x), nearest(at.y, lattice.origin.y), nearest(at.z, lattice.origin.z)},
        kMostLooseSamples);
    if (!part) return false;
    std::stable_sort(part->points.begin(), part->points.end(),
                     [](LatticePoint a, LatticePoint b) { return key_of(a) < key_of(b); });
    for (std::size_t next = 0; next < part->points.size();) {
        const BrickKey key = key_of(part->points[next]);
        DensityBrick* brick = nullptr;
        for (; next < part->points.size() && key_of(part->points[next]) == key; ++next) {
            const LatticePoint point = part->points[next];
            write(key, point, std::max<std::int16_t>(fixed_.stored(-search.density(point)), 1), brick, changed);
        }
        trees_.densities.refresh(key);
    }
    return true;
}

std::uint16_t Store::add_stamp(std::shared_ptr<const Field> stamp, double radius) {
    if (stamp == nullptr) throw std::invalid_argument("EditWorld::add_stamp needs a field");
    impl::require_range("the radius of a stamp", radius, 1e-3, 1e6);
    if (stamps_.size() == kMostStamps) {
        throw std::invalid_argument("there are " + std::to_string(kMostStamps) + " stamps; no more are allowed");
    }
    stamps_.push_back({std::move(stamp), radius});
    return static_cast<std::uint16_t>(stamps_.size() - 1);
}

std::shared_ptr<const Snapshot> Store::snapshot() {
    if (last_ == nullptr) {
        trees_.freeze();
        last_ = std::make_shared<const Snapshot>(
            Snapshot{ground_, options_.lattice, fixed_, trees_.densities, trees_.paint});
    }
    return last_;
}

EditWorldStats Store::stats() const {
    EditWorldStats stats;
    stats.applied = applied_;
    stats.bricks = trees_.densities.size();
    stats.paint_bricks = trees_.paint.size();
    stats.brick_bytes = trees_.densities.bytes() + trees_.paint.bytes();
    stats.undo_bytes = history_.bytes();
    stats.strokes = history_.strokes();
    return stats;
}

std::uint64_t Store::content_hash() const {
    impl::ContentHasher hasher;
    const auto add = [&](const BrickKey& key, const auto& brick) {
        hasher.add(std::uint64_t{static_cast<std::uint32_t>(key.x)} << 32 | static_cast<std::uint32_t>(key.y));
        hasher.add(static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.z)));
        for (const auto value : brick.values) hasher.add(static_cast<std::uint64_t>(static_cast<std::uint32_t>(value)));
    };
    trees_.densities.for_each(add);
    trees_.paint.for_each(add);
    return hasher.value();
}

}  // namespace quarry::terrain::edits
