#include "terrain/edits/loose_search.hpp"

#include <algorithm>
#include <tuple>

#include "terrain/edits/brick_source.hpp"

namespace quarry::terrain::edits {

LooseSearch::Block& LooseSearch::block_at(const BrickKey& key) {
    if (last_ != nullptr && last_->key == key) return *last_;
    std::unique_ptr<Block>& block = blocks_[key];
    if (block == nullptr) {
        if (source_ != nullptr) source_->need(box_of(key));
        block = std::make_unique<Block>();
        block->key = key;
        const SampleBlock samples{first_of(key), 1, kBrickSize, kBrickSize, kBrickSize, lattice_};
        sample_edited(ground_, densities_, fixed_, samples, block->densities.data());
    }
    last_ = block.get();
    return *block;
}

LooseSearch::Place LooseSearch::beside(Place place, std::size_t direction) {
    const std::size_t axis = direction / 2;
    const bool is_up = direction % 2 != 0;
    const std::size_t shift = 4 * axis;
    const std::size_t step = std::size_t{1} << shift;
    const std::size_t along = place.index >> shift & 15U;
    if (along != (is_up ? 15U : 0U)) return {place.block, is_up ? place.index + step : place.index - step};
    Block*& next = place.block->beside[direction];
    if (next == nullptr) {
        BrickKey key = place.block->key;
        (axis == 0 ? key.x : axis == 1 ? key.y : key.z) += is_up ? 1 : -1;
        next = &block_at(key);
    }
    return {next, is_up ? place.index - 15 * step : place.index + 15 * step};
}

std::optional<LooseShape> LooseSearch::part_at(LatticePoint point, std::uint64_t most) {
    std::vector<Place> places;
    bool is_ground = false;
    // Marks a point that is solid and new.
    const auto visit = [&](Place place) {
        Mark& mark = place.block->marks[place.index];
        if (!(place.block->densities[place.index] < 0) || mark == Mark::part) return;
        is_ground = is_ground || mark == Mark::ground;
        mark = Mark::part;
        places.push_back(place);
    };
    Block& first = block_at(key_of(point));
    if (first.marks[index_of<DensityBrick>(point)] == Mark::none) visit({&first, index_of<DensityBrick>(point)});
    for (std::size_t next = 0; next < places.size() && !is_ground; ++next) {
        is_ground = places.size() > most;
        for (std::size_t direction = 0; direction < 6 && !is_ground; ++direction) {
            visit(beside(places[next], direction));
        }
    }
    if (places.empty()) return std::nullopt;
    if (is_ground) {
        for (const Place& place : places) place.block->marks[place.index] = Mark::ground;
        return std::nullopt;
    }
    LooseShape shape;
    shape.points.reserve(places.size());
    for (const Place& place : places) {
        shape.points.push_back(point_of<DensityBrick>(place.block->key, place.index));
        shape.box.include(shape.points.back());
    }
    std::sort(shape.points.begin(), shape.points.end(), [](const LatticePoint& a, const LatticePoint& b) {
        return std::tie(a.z, a.y, a.x) < std::tie(b.z, b.y, b.x);
    });
    return shape;
}

}  // namespace quarry::terrain::edits
