#include "terrain/edits/loose_search.hpp"

#include <algorithm>
#include <tuple>

#include "terrain/edits/brick_source.hpp"

namespace quarry::terrain::edits {

LooseSearch::Block& LooseSearch::block_of(LatticePoint point) {
    const BrickKey key = key_of(point);
    if (last_ != nullptr && key == last_key_) return *last_;
    std::unique_ptr<Block>& block = blocks_[key];
    if (block == nullptr) {
        if (source_ != nullptr) source_->need(box_of(key));
        block = std::make_unique<Block>();
        const SampleBlock samples{first_of(key), 1, kBrickSize, kBrickSize, kBrickSize, lattice_};
        sample_edited(ground_, densities_, fixed_, samples, block->densities.data());
    }
    last_key_ = key;
    last_ = block.get();
    return *block;
}

std::optional<LooseShape> LooseSearch::part_at(LatticePoint point, std::uint64_t most) {
    LooseShape shape;
    bool is_ground = false;
    // Marks the point if it is solid and new.
    const auto visit = [&](LatticePoint p) {
        Block& block = block_of(p);
        const std::size_t i = index_of<DensityBrick>(p);
        if (!(block.densities[i] < 0) || block.marks[i] == Mark::part) return;
        if (block.marks[i] == Mark::ground) {
            is_ground = true;
            return;
        }
        block.marks[i] = Mark::part;
        shape.points.push_back(p);
        shape.box.include(p);
    };
    visit(point);
    for (std::size_t next = 0; next < shape.points.size() && !is_ground; ++next) {
        const LatticePoint p = shape.points[next];
        if (shape.points.size() > most) {
            is_ground = true;
        } else {
            visit({p.x - 1, p.y, p.z});
            visit({p.x + 1, p.y, p.z});
            visit({p.x, p.y - 1, p.z});
            visit({p.x, p.y + 1, p.z});
            visit({p.x, p.y, p.z - 1});
            visit({p.x, p.y, p.z + 1});
        }
    }
    if (shape.points.empty()) return std::nullopt;
    if (is_ground) {
        for (const LatticePoint& p : shape.points) block_of(p).marks[index_of<DensityBrick>(p)] = Mark::ground;
        return std::nullopt;
    }
    std::sort(shape.points.begin(), shape.points.end(), [](const LatticePoint& a, const LatticePoint& b) {
        return std::tie(a.z, a.y, a.x) < std::tie(b.z, b.y, b.x);
    });
    return shape;
}

}  // namespace quarry::terrain::edits
