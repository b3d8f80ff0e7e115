#include "terrain/edits/store.hpp"

#include <algorithm>
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

struct Store::Tile {
    SampleBlock around;  // current_: the tile and, for smoothing, a border
    SampleBlock block;   // wanted_: the tile
    std::int32_t border = 0;
};

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
    for_each_part(box, kTileSize, [&](const LatticeBox& part) {
        Tile tile;
        tile.block.first = part.low;
        tile.block.nx = part.high.x - part.low.x + 1;
        tile.block.ny = part.high.y - part.low.y + 1;
        tile.block.nz = part.high.z - part.low.z + 1;
        tile.block.lattice = options_.lattice;
        tile.border = smooths ? 1 : 0;
        tile.around = tile.block;
        tile.around.first = {part.low.x - tile.border, part.low.y - tile.border, part.low.z - tile.border};
        tile.around.nx += 2 * tile.border;
        tile.around.ny += 2 * tile.border;
        tile.around.nz += 2 * tile.border;
        current_.resize(tile.around.size());
        wanted_.resize(tile.block.size());
        sample_edited(*ground_, smooths ? before : trees_.densities, fixed_, tile.around, current_.data());
        for (std::int32_t z = 0; z < tile.block.nz; ++z) {
            for (std::int32_t y = 0; y < tile.block.ny; ++y) new_row(edit, brush, tile, {0, y, z}, tile.block.nx);
        }
        write_densities(tile, changed);
    });
}

// One row of wanted_ from current_. `first`: its place in the tile.
void Store::new_row(const Edit& edit, const Brush& brush, const Tile& tile, LatticePoint first, std::int32_t count) {
    const auto length = static_cast<std::size_t>(count);
    distances_.resize(length);
    row_.resize(length);
    const LatticePoint at{tile.block.first.x, tile.block.first.y + first.y, tile.block.first.z + first.z};
    brush.distances(at, 1, distances_);
    const std::int32_t b = tile.border;
    const float* const now = current_.data() + tile.around.index(b, first.y + b, first.z + b);
    float* const out = wanted_.data() + tile.block.index(0, first.y, first.z);
    switch (edit.kind) {
        case EditKind::add:
            for (std::size_t i = 0; i < length; ++i) row_[i] = std::min(now[i], distances_[i]);
            break;
        case EditKind::dig:
            for (std::size_t i = 0; i < length; ++i) row_[i] = std::max(now[i], -distances_[i]);
            break;
        case EditKind::smooth: {
            const auto up = static_cast<std::ptrdiff_t>(tile.around.nx);
            const std::ptrdiff_t far = up * tile.around.ny;
            for (std::size_t i = 0; i < length; ++i) {
                const float* const p = now + i;
                row_[i] = ((p[-1] + p[1]) + (p[-up] + p[up]) + (p[-far] + p[far])) * (1.0F / 6);
            }
            break;
        }
        case EditKind::flatten:
            brush.heights(at, 1, row_);
            break;
        default:
            for (std::size_t i = 0; i < length; ++i) row_[i] = now[i] - edit.amount;
            break;
    }
    for (std::size_t i = 0; i < length; ++i) {
        const float share = brush.share(distances_[i]);
        // All of it is exactly that; none of it exactly this.
        out[i] = share == 1 ? row_[i] : share > 0 ? now[i] + share * (row_[i] - now[i]) : now[i];
    }
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

// Samples that an edit leaves where they are, but for less than half a step, are not stored: they keep their bits.
void Store::write_densities(const Tile& tile, Changed& changed) {
    const LatticePoint low = tile.block.first;
    const LatticeBox box{low, {low.x + tile.block.nx - 1, low.y + tile.block.ny - 1, low.z + tile.block.nz - 1}};
    const auto least = static_cast<float>(fixed_.step() / 2);
    for_each_part(box, kBrickSize, [&](const LatticeBox& part) {
        const BrickKey key = key_of(part.low);
        const DensityBrick* const old = trees_.densities.find(key);
        DensityBrick* brick = nullptr;
        for (std::int32_t z = part.low.z; z <= part.high.z; ++z) {
            for (std::int32_t y = part.low.y; y <= part.high.y; ++y) {
                const std::int32_t b = tile.border;
                const float* const now =
                    current_.data() + tile.around.index(part.low.x - low.x + b, y - low.y + b, z - low.z + b);
                const float* const wanted = wanted_.data() + tile.block.index(part.low.x - low.x, y - low.y, z - low.z);
                for (std::int32_t x = part.low.x; x <= part.high.x; ++x) {
                    const float from = now[x - part.low.x];
                    const float to = wanted[x - part.low.x];
                    if (from == to || !std::isfinite(to)) continue;
                    const std::int16_t value = fixed_.stored(to);
                    const LatticePoint point{x, y, z};
                    const DensityBrick* const seen = brick != nullptr ? brick : old;
                    const std::int16_t stored =
                        seen == nullptr ? DensityBrick::kUntouched : seen->values[index_of<DensityBrick>(point)];
                    const bool stays =
                        stored == DensityBrick::kUntouched ? std::abs(to - from) < least : value == stored;
                    if (!stays) write(key, point, value, brick, changed);
                }
            }
        }
        if (brick != nullptr) trees_.densities.refresh(key);
    });
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
