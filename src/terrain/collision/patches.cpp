#include "terrain/collision/patches.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <meshoptimizer.h>

#include "quarry/terrain/chunk_mesh.hpp"
#include "terrain/collision/tidy.hpp"
#include "terrain/content_hasher.hpp"
#include "terrain/extract_triangles.hpp"
#include "terrain/nearest_rounding.hpp"

namespace quarry::terrain::collision {
namespace {

// A box of cells, from low up to high.
struct CellBox {
    std::array<std::int32_t, 3> low;
    std::array<std::int32_t, 3> high;

    // The axis along which it is widest; of equal ones a horizontal one.
    std::size_t widest() const noexcept {
        std::size_t best = 0;
        for (const std::size_t axis : {std::size_t{2}, std::size_t{1}}) {
            if (high[axis] - low[axis] > high[best] - low[best]) best = axis;
        }
        return best;
    }
};

double along(const Vector3& at, std::size_t axis) noexcept {
    return axis == 0 ? at.x : axis == 1 ? at.y : at.z;
}

// The triangles that lie with their middle in one part of the chunk, with vertices of their own, in the order in which
// they are first used.
Surface part_of(const Surface& whole, std::span<const std::uint32_t> triangles, std::vector<std::uint32_t>& numbers) {
    constexpr std::uint32_t kUnused = 0xffffffff;
    Surface part;
    std::vector<std::uint32_t> used;
    for (const std::uint32_t t : triangles) {
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t vertex = whole.indices[std::size_t{3} * t + k];
            if (numbers[vertex] == kUnused) {
                numbers[vertex] = static_cast<std::uint32_t>(part.positions.size());
                part.positions.push_back(whole.positions[vertex]);
                used.push_back(vertex);
            }
            part.indices.push_back(numbers[vertex]);
        }
    }
    for (const std::uint32_t vertex : used) numbers[vertex] = kUnused;
    part.fixed.resize(part.positions.size());
    return part;
}

// The vertices that triangles use, in the order in which they do.
void forget_unused(Surface& surface) {
    std::vector<std::uint32_t> all(surface.indices.size() / 3);
    for (std::uint32_t t = 0; t < all.size(); ++t) all[t] = t;
    std::vector<std::uint32_t> numbers(surface.positions.size(), 0xffffffff);
    surface = part_of(surface, all, numbers);
}

// Fewer triangles, with the border as it is. Nothing: none could be saved, or what remains has slivers.
std::optional<Surface> simplified(const Surface& from, double error) {
    const float scale =
        meshopt_simplifyScale(&from.positions.front().x, from.positions.size(), sizeof(from.positions.front()));
    if (!(scale > 0)) return std::nullopt;
    Surface to = from;
    const std::size_t count = meshopt_simplify(
        to.indices.data(), from.indices.data(), from.indices.size(), &from.positions.front().x, from.positions.size(),
        sizeof(from.positions.front()), 0, static_cast<float>(error) / scale, meshopt_SimplifyLockBorder, nullptr);
    if (count >= from.indices.size()) return std::nullopt;
    to.indices.resize(count);
    fix_border(to);
    if (remove_slivers(to) != 0) return std::nullopt;
    forget_unused(to);
    return to;
}

class Cutter {
  public:
    Cutter(const Source& source, const ChunkKey& key, const PatchSet* before, const Surface& whole, PatchSet& out)
        : source_(source),
          key_(key),
          before_(before),
          whole_(whole),
          numbers_(whole.positions.size(), 0xffffffff),
          out_(out) {}

    void run() {
        std::vector<std::uint32_t> all(whole_.indices.size() / 3);
        for (std::uint32_t t = 0; t < all.size(); ++t) all[t] = t;
        const std::int32_t cells = source_.extract.cells;
        cut(all, {{0, 0, 0}, {cells, cells, cells}}, 1);
        std::sort(out_.patches.begin(), out_.patches.end(),
                  [](const auto& a, const auto& b) { return a->part < b->part; });
    }

  private:
    // Parts are halves of halves: where they are cut depends on nothing but the chunk's size, so that parts without a
    // change stay the same ones.
    void cut(std::span<std::uint32_t> triangles, const CellBox& box, std::uint32_t part) {
        if (triangles.empty()) return;
        const std::size_t axis = box.widest();
        if (triangles.size() <= kMostPatchTriangles || box.high[axis] - box.low[axis] < 2)
            return finish(triangles, part);
        const std::int32_t middle = (box.low[axis] + box.high[axis]) / 2;
        const auto is_low = [&](std::uint32_t t) {
            double sum = 0;
            for (std::size_t k = 0; k < 3; ++k) {
                sum += along(whole_.positions[whole_.indices[std::size_t{3} * t + k]], axis);
            }
            return sum < 3.0 * middle;
        };
        const auto split = std::stable_partition(triangles.begin(), triangles.end(), is_low);
        const auto low = static_cast<std::size_t>(split - triangles.begin());
        CellBox lower = box;
        CellBox upper = box;
        lower.high[axis] = middle;
        upper.low[axis] = middle;
        cut(triangles.first(low), lower, 2 * part);
        cut(triangles.subspan(low), upper, 2 * part + 1);
    }

    void finish(std::span<const std::uint32_t> triangles, std::uint32_t part) {
        Surface surface = part_of(whole_, triangles, numbers_);
        if (source_.simplify > 0) {
            if (std::optional<Surface> fewer = simplified(surface, source_.simplify)) surface = *std::move(fewer);
        }
        if (surface.indices.empty()) return;
        CollisionPatch patch;
        patch.chunk = key_;
        patch.part = part;
        patch.positions = std::move(surface.positions);
        patch.indices.assign(surface.indices.size(), 0);
        std::transform(surface.indices.begin(), surface.indices.end(), patch.indices.begin(),
                       [](std::uint32_t index) { return static_cast<std::uint16_t>(index); });
        patch.bounds = bounds_of(patch.positions);
        patch.hash = hash_of(patch);
        if (auto known = same_before(patch)) {
            out_.patches.push_back(std::move(known));
            return;
        }
        if (source_.prepare) patch.prepared = source_.prepare(patch);
        out_.patches.push_back(std::make_shared<const CollisionPatch>(std::move(patch)));
    }

    static std::uint64_t hash_of(const CollisionPatch& patch) {
        impl::ContentHasher hasher;
        hasher.add(patch.chunk);
        hasher.add(std::uint64_t{patch.part});
        hasher.add(std::span<const Vector3>(patch.positions));
        hasher.add(std::uint64_t{patch.indices.size()});
        for (const std::uint16_t index : patch.indices) hasher.add(std::uint64_t{index});
        return hasher.value();
    }

    std::shared_ptr<const CollisionPatch> same_before(const CollisionPatch& patch) const {
        if (before_ == nullptr) return nullptr;
        for (const auto& each : before_->patches) {
            if (each->part != patch.part) continue;
            const bool is_same =
                each->hash == patch.hash && each->positions == patch.positions && each->indices == patch.indices;
            return is_same ? each : nullptr;
        }
        return nullptr;
    }

    const Source& source_;
    const ChunkKey key_;
    const PatchSet* const before_;
    const Surface& whole_;
    std::vector<std::uint32_t> numbers_;  // of vertices within the part in hand
    PatchSet& out_;
};

}  // namespace

PatchSet make_patches(const Source& source, const ChunkKey& key, const PatchSet* before) {
    const impl::NearestRounding nearest;
    PatchSet set;
    // Taken out while it is in use: a field that runs jobs may get back here on this thread.
    thread_local std::optional<ExtractScratch> kept;
    std::optional<ExtractScratch> scratch = std::exchange(kept, std::nullopt);
    if (!scratch) scratch.emplace();
    const BakedChunk chunk = impl::extract_triangles(*source.field, key, source.extract, *scratch);
    kept = std::move(scratch);
    if (chunk.content != ChunkContent::surface) return set;
    Surface surface;
    surface.positions.assign(chunk.mesh.positions.begin(), chunk.mesh.positions.end());
    surface.indices.resize(chunk.mesh.indices.size());
    for (std::size_t i = 0; i < surface.indices.size(); ++i) surface.indices[i] = chunk.mesh.indices[i];
    Cutter(source, key, before, surface, set).run();
    return set;
}

std::size_t bytes_of(const CollisionPatch& patch) noexcept {
    return sizeof(patch) + patch.positions.capacity() * sizeof(Vector3) +
           patch.indices.capacity() * sizeof(std::uint16_t);
}

}  // namespace quarry::terrain::collision
