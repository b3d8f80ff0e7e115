#include "quarry/terrain/loose_parts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/chunk_mesh.hpp"
#include "quarry/terrain/edited_field.hpp"
#include "quarry/terrain/extract.hpp"
#include "terrain/edits/loose_search.hpp"
#include "terrain/nearest_rounding.hpp"

namespace quarry::terrain {
namespace {

using edits::DensityBrick;
using edits::LatticeBox;
using edits::LooseSearch;
using edits::LooseShape;
using edits::Snapshot;

// Nothing, everywhere.
class EmptyField final : public Field {
  public:
    void densities(std::span<const Position> /*points*/, std::span<float> out) const override {
        std::fill(out.begin(), out.end(), kEmpty);
    }
    Interval bounds(const Box& /*box*/) const override { return {kEmpty, kEmpty}; }
    void gradients(std::span<const Position> /*points*/, double /*spacing*/, std::span<Gradient> out) const override {
        std::fill(out.begin(), out.end(), Gradient{0, 1, 0});
    }

  private:
    static constexpr float kEmpty = 1e6F;
};

// Around a part lies what lies around it in the ground, so that its surface is in the same place and has the same
// normals; but nothing else is solid.
constexpr std::int32_t kAround = 2;

std::shared_ptr<const EditedField> part_alone(const Snapshot& from, LooseSearch& search, const LooseShape& shape) {
    edits::BrickTree<DensityBrick> bricks;
    std::optional<edits::BrickKey> last_key;
    DensityBrick* last = nullptr;
    const auto put = [&](LatticePoint point, std::int16_t value) {
        const edits::BrickKey key = edits::key_of(point);
        if (key != last_key) {
            last = &bricks.writable(key);
            last_key = key;
        }
        last->values[edits::index_of<DensityBrick>(point)] = value;
    };
    const auto is_solid = [&](std::int32_t x, std::int32_t y, std::int32_t z) { return search.density({x, y, z}) < 0; };
    for (const LatticePoint& p : shape.points) {
        // What lies around the part lies around its outermost points.
        if (is_solid(p.x - 1, p.y, p.z) && is_solid(p.x + 1, p.y, p.z) && is_solid(p.x, p.y - 1, p.z) &&
            is_solid(p.x, p.y + 1, p.z) && is_solid(p.x, p.y, p.z - 1) && is_solid(p.x, p.y, p.z + 1)) {
            continue;
        }
        for (std::int32_t z = p.z - kAround; z <= p.z + kAround; ++z) {
            for (std::int32_t y = p.y - kAround; y <= p.y + kAround; ++y) {
                for (std::int32_t x = p.x - kAround; x <= p.x + kAround; ++x) {
                    put({x, y, z}, std::max<std::int16_t>(from.fixed.stored(std::abs(search.density({x, y, z}))), 1));
                }
            }
        }
    }
    // Afterwards: these points are solid, whatever their neighbours have put there.
    for (const LatticePoint& p : shape.points) {
        put(p, std::min<std::int16_t>(from.fixed.stored(search.density(p)), -1));
    }
    std::vector<edits::BrickKey> keys;
    bricks.for_each([&](const edits::BrickKey& key, const DensityBrick& /*brick*/) { keys.push_back(key); });
    for (const edits::BrickKey& key : keys) bricks.refresh(key);
    bricks.freeze();
    return std::make_shared<const EditedField>(std::make_shared<const Snapshot>(
        Snapshot{std::make_shared<EmptyField>(), from.lattice, from.fixed, std::move(bricks), {}}));
}

LatticeBox checked_points(const Box& box, const Lattice& lattice) {
    const LatticeBox points = edits::points_around(box, lattice);
    const auto count = [](std::int32_t low, std::int32_t high) { return static_cast<double>(high) - low + 1; };
    const double samples =
        count(points.low.x, points.high.x) * count(points.low.y, points.high.y) * count(points.low.z, points.high.z);
    // An edit's own box is one point smaller on each side.
    if (!(samples <= 1.1 * static_cast<double>(kMostEditSamples))) {
        throw std::invalid_argument("find_loose_parts: a box has " + std::to_string(samples) + " points; at most " +
                                    std::to_string(kMostEditSamples) + " are allowed");
    }
    return points;
}

}  // namespace

std::vector<LoosePart> find_loose_parts(const EditedField& field, std::span<const Box> boxes) {
    const impl::NearestRounding nearest;
    const Snapshot& snapshot = field.snapshot();
    std::vector<LatticeBox> areas;
    areas.reserve(boxes.size());
    for (const Box& box : boxes) areas.push_back(checked_points(box, snapshot.lattice));
    LooseSearch search(*snapshot.ground, snapshot.densities, snapshot.fixed, snapshot.lattice);
    std::vector<std::pair<LatticePoint, LoosePart>> parts;
    for (const LatticeBox& area : areas) {
        for (std::int32_t z = area.low.z; z <= area.high.z; ++z) {
            for (std::int32_t y = area.low.y; y <= area.high.y; ++y) {
                for (std::int32_t x = area.low.x; x <= area.high.x; ++x) {
                    const std::optional<LooseShape> shape = search.part_at({x, y, z}, kMostLooseSamples);
                    if (!shape) continue;
                    const LatticePoint first = shape->points.front();
                    parts.push_back(
                        {first,
                         {.box = {snapshot.lattice.at(shape->box.low), snapshot.lattice.at(shape->box.high)},
                          .samples = shape->points.size(),
                          .inside = snapshot.lattice.at(first),
                          .field = part_alone(snapshot, search, *shape)}});
                }
            }
        }
    }
    std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
        return std::tie(a.first.z, a.first.y, a.first.x) < std::tie(b.first.z, b.first.y, b.first.x);
    });
    std::vector<LoosePart> found;
    found.reserve(parts.size());
    for (auto& [first, part] : parts) found.push_back(std::move(part));
    return found;
}

std::vector<Mesh> mesh_loose_part(const LoosePart& part, const ExtractOptions& options) {
    if (part.field == nullptr) throw std::invalid_argument("mesh_loose_part: the part has no field");
    const LatticeBox points = edits::points_around(part.box, options.lattice);
    const auto chunk = [&](std::int32_t point) {
        return static_cast<std::int32_t>(std::floor(static_cast<double>(point) / options.cells));
    };
    std::vector<Mesh> meshes;
    for (std::int32_t z = chunk(points.low.z); z <= chunk(points.high.z); ++z) {
        for (std::int32_t y = chunk(points.low.y); y <= chunk(points.high.y); ++y) {
            for (std::int32_t x = chunk(points.low.x); x <= chunk(points.high.x); ++x) {
                const ChunkMesh chunk_mesh = extract(*part.field, {0, x, y, z}, options);
                if (chunk_mesh.content == ChunkContent::surface) meshes.push_back(bake(chunk_mesh, 0));
            }
        }
    }
    return meshes;
}

struct LoosePartFinder::Search {
    Pool& pool;
    std::shared_ptr<const EditedField> field;  // to be looked at next
    std::vector<Box> boxes;
    Task<std::vector<LoosePart>> job;

    void start() {
        if (job.valid() || boxes.empty()) return;
        auto work = [from = field, where = boxes] { return find_loose_parts(*from, where); };
        auto task = pool.try_submit(std::move(work), {.lane = Lane::background});
        if (!task) return;
        job = std::move(*task);
        boxes.clear();
        field = nullptr;
    }
};

LoosePartFinder::LoosePartFinder(Pool& pool) : search_(std::make_unique<Search>(Search{pool, nullptr, {}, {}})) {}

LoosePartFinder::~LoosePartFinder() {
    try {
        if (search_->job.valid() && !search_->job.cancel()) search_->job.get();
    } catch (...) {  // NOLINT(bugprone-empty-catch): nobody is left to be told
    }
}

void LoosePartFinder::look(std::shared_ptr<const EditedField> field, const Box& changed) {
    search_->field = std::move(field);
    search_->boxes.push_back(changed);
    search_->start();
}

std::vector<LoosePart> LoosePartFinder::take() {
    std::vector<LoosePart> found;
    if (search_->job.valid() && search_->job.ready()) found = search_->job.get();
    search_->start();
    return found;
}

bool LoosePartFinder::is_busy() const noexcept {
    return search_->job.valid() || !search_->boxes.empty();
}

}  // namespace quarry::terrain
