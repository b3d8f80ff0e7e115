#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "quarry/terrain/chunk_mesh.hpp"
#include "quarry/terrain/lattice.hpp"
#include "quarry/terrain/mesh.hpp"
#include "terrain/transvoxel/slope_kernel.hpp"

namespace quarry::terrain::impl {

// A list that is told how much it will need, and then appends without asking.
template <class T>
class Buffer {
  public:
    void clear() noexcept { size_ = 0; }

    void make_room_for(std::size_t more) {
        if (size_ + more <= capacity_) return;
        const std::size_t wanted = std::max(2 * capacity_, size_ + more);
        std::unique_ptr<T[]> larger(new T[wanted]);
        std::copy(begin(), end(), larger.get());
        items_ = std::move(larger);
        capacity_ = wanted;
    }

    // Only where there is room.
    void append(const T& item) noexcept { items_[size_++] = item; }

    // Where the next items go; keep says how many of those that were written there count.
    T* room() noexcept { return items_.get() + size_; }
    void keep(std::size_t count) noexcept { size_ += count; }

    std::size_t size() const noexcept { return size_; }
    const T* data() const noexcept { return items_.get(); }
    const T* begin() const noexcept { return items_.get(); }
    const T* end() const noexcept { return items_.get() + size_; }
    const T& operator[](std::size_t i) const noexcept { return items_[i]; }
    T& operator[](std::size_t i) noexcept { return items_[i]; }

  private:
    std::unique_ptr<T[]> items_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

inline constexpr std::size_t kOnTwoSides = 3 * side::count;

// A vertex on a line where chunks meet, and where the finest level has it along its edge (chunk_edges.hpp).
struct SettledVertex {
    std::uint32_t number;
    float finest;
};

// An edge that is being cut in halves: its lower end in units of its level, the densities at its ends, and which halves
// were the upper ones, the last cut in the lowest bit.
struct SettlingEdge {
    std::array<std::int32_t, 3> low;
    std::size_t axis;
    float first;
    float second;
    std::uint32_t path;

    // low is the middle of the edge, of this density; afterwards that of the half which is crossed.
    void cut(float middle) noexcept {
        const bool is_upper = (first < 0) == (middle < 0);
        (is_upper ? first : second) = middle;
        low[axis] -= is_upper ? 0 : 1;
        path = path << 1 | (is_upper ? 1u : 0u);
    }
};

// What an extraction works in. Vectors only ever grow, so that the next extraction finds them large enough.
struct ExtractMemory {
    std::vector<float> samples;
    std::vector<std::uint64_t> signs;  // a word for each row of samples along x: bit i says that sample i is inside

    // Which vertex lies on a lattice edge: one block for each axis, addressed by the edge's lower end. Only entries of
    // crossed edges are ever written or read, so nothing has to be cleared.
    std::vector<std::uint32_t> full_vertex_on;
    std::vector<std::uint32_t> half_vertex_on;

    Buffer<Vector3> positions;
    Buffer<std::uint32_t> indices;
    std::vector<BorderVertex> border;

    Buffer<std::uint32_t> edges;  // of the chunk's own vertices: EdgeWord

    // Those of them on sides: a list for each axis of the edge and each side, and one for those on two sides.
    std::array<Buffer<std::uint32_t>, kOnTwoSides + 1> on_sides;
    Buffer<std::uint32_t> half_on_two_sides;  // numbers of half-resolution vertices
    std::vector<SettledVertex> settled;
    std::vector<SettlingEdge> settling;

    // Normals: samples beyond the sides, their numbers and places, a block for each side; samples around edges.
    std::vector<std::uint32_t> outside_number;
    std::array<std::vector<std::uint32_t>, side::count> beyond_side;
    std::vector<Position> outside_points;
    std::vector<float> outside;
    std::unique_ptr<transvoxel::SlopeBatch> slopes;

    std::vector<Position> points;
    std::vector<Gradient> gradients;
};

}  // namespace quarry::terrain::impl
