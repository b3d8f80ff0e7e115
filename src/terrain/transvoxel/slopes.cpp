#include "terrain/transvoxel/slopes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "terrain/transvoxel/slope_kernel.hpp"

namespace quarry::terrain::transvoxel {
namespace {

// The lattice edge that a vertex lies on.
struct EdgePlace {
    std::array<std::int32_t, 3> low;
    std::size_t axis;
    float along;
};

constexpr std::size_t earlier_axis_beside(std::size_t axis) noexcept {
    return axis == 0 ? 1 : 0;
}
constexpr std::size_t later_axis_beside(std::size_t axis) noexcept {
    return axis == 2 ? 1 : 2;
}

class Slopes {
  public:
    Slopes(const ChunkGrid& grid, const SampleBlock& block, std::size_t level_step, impl::ExtractMemory& memory)
        : block_(block),
          memory_(memory),
          samples_(memory.samples.data()),
          level_step_(static_cast<std::int32_t>(level_step)),
          cells_(static_cast<std::int32_t>(grid.cells / level_step)),
          width_(grid.cells / level_step + 1),
          step_{grid.step[0] * level_step, grid.step[1] * level_step, grid.step[2] * level_step} {
        if (memory_.slopes == nullptr) memory_.slopes = std::make_unique<SlopeBatch>();
    }

    // All vertices of the chunk's own cells, whose edges the mesher has written down. Those on the chunk's sides are
    // done with the others, by wrong samples, since a processor could not foresee which they are; then they are put
    // right.
    void fill_own(const Field& field, std::span<const Vector3> vertices, Gradient* out) {
        const std::array<Strides, 8> by = strides();
        SlopeBatch& batch = *memory_.slopes;
        const std::uint32_t* const edges = memory_.edges.data();
        for (std::size_t first = 0; first < vertices.size(); first += SlopeBatch::kMost) {
            const std::size_t count = std::min(vertices.size() - first, SlopeBatch::kMost);
            for (std::size_t i = 0; i < count; ++i) put_inner(edges[first + i], vertices[first + i], by, batch, i);
            find_slopes(batch, count, out + first);
        }
        begin_asking();
        for_each_group(
            [&](const Group& group, std::span<const std::uint32_t> numbers) { ask_around(group, numbers, vertices); });
        const auto& on_two_sides = memory_.on_sides[impl::kOnTwoSides];
        for (const std::uint32_t number : on_two_sides) ask_around(place_of(vertices[number]));
        ask(field);
        for_each_group([&](const Group& group, std::span<const std::uint32_t> numbers) {
            for (const std::uint32_t number : numbers) put_on_side(group, number, vertices[number], out);
        });
        for (const std::uint32_t number : on_two_sides) put_on_sides(place_of(vertices[number]), number, out);
        flush(out);
    }

    // Half-resolution vertices are all on sides.
    void fill_half(const Field& field, std::span<const Vector3> vertices, Gradient* out) {
        begin_asking();
        for (const Vector3& vertex : vertices) ask_around(place_of(vertex));
        ask(field);
        for (std::size_t i = 0; i < vertices.size(); ++i) {
            put_on_sides(place_of(vertices[i]), static_cast<std::uint32_t>(i), out);
        }
        flush(out);
    }

  private:
    // Between samples along the two axes beside an edge, and along it.
    struct Strides {
        std::size_t u, v, along;
    };

    // By the axis and whether the edge is on a side, as its word has them. There may be no memory where the neighbours
    // of one on a side would be: it is its own neighbour.
    std::array<Strides, 8> strides() const {
        std::array<Strides, 8> all{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            all[2 * axis] = {step_[earlier_axis_beside(axis)], step_[later_axis_beside(axis)], step_[axis]};
            all[2 * axis + 1] = {0, 0, step_[axis]};
        }
        return all;
    }

    static void put_end(SlopeBatch::End& end, std::size_t i, const float* at, const Strides& by) {
        end.middle[i] = *at;
        end.down_u[i] = *(at - by.u);
        end.up_u[i] = at[by.u];
        end.down_v[i] = *(at - by.v);
        end.up_v[i] = at[by.v];
    }

    void put_inner(std::uint32_t edge, const Vector3& vertex, const std::array<Strides, 8>& strides, SlopeBatch& batch,
                   std::size_t i) const {
        const std::size_t axis = edge >> EdgeWord::kAxisBit;
        const Strides& by = strides[edge >> EdgeWord::kOnSideBit];
        const float* const low = samples_ + (edge & EdgeWord::kPlace);
        put_end(batch.low, i, low, by);
        put_end(batch.high, i, low + by.along, by);
        batch.place[i] = (&vertex.x)[axis];
        batch.axis[i] = static_cast<std::int32_t>(axis);
    }

    // Vertices on edges along one axis that lie on one side.
    struct Group {
        std::size_t axis;
        std::size_t side;
    };

    template <class Visit>
    void for_each_group(const Visit& visit) const {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (std::size_t side = 0; side < side::count; ++side) {
                const auto& numbers = memory_.on_sides[axis * side::count + side];
                visit(Group{axis, side}, std::span<const std::uint32_t>(numbers.data(), numbers.size()));
            }
        }
    }

    void begin_asking() {
        memory_.outside_number.assign(side::count * width_ * width_, 0);
        // A place more than there are, where those end up that have been asked for before.
        for (auto& places : memory_.beyond_side) places.resize(width_ * width_ + 1);
        asked_ = {};
    }

    // Samples on a side are counted by the earlier of its two axes, then by the later. Numbers of those beyond them
    // count from 1; 0 is what nobody has asked for.
    void ask_for(std::size_t side, std::size_t place) {
        std::uint32_t& number = memory_.outside_number[side * width_ * width_ + place];
        std::uint32_t& asked = asked_[side];
        memory_.beyond_side[side][asked] = static_cast<std::uint32_t>(place);
        asked += number == 0 ? 1 : 0;
        number = number == 0 ? asked : number;
    }

    void ask_around(const Group& group, std::span<const std::uint32_t> numbers, std::span<const Vector3> vertices) {
        const std::size_t u = earlier_axis_beside(group.side / 2), v = later_axis_beside(group.side / 2);
        const std::size_t next = group.axis == u ? 1 : width_;
        for (const std::uint32_t number : numbers) {
            const std::size_t place = place_on_side(vertices[number], u, v);
            ask_for(group.side, place);
            ask_for(group.side, place + next);
        }
    }

    std::size_t place_on_side(const Vector3& vertex, std::size_t u, std::size_t v) const {
        const float* const at = &vertex.x;
        return static_cast<std::size_t>(static_cast<std::int32_t>(at[v])) * width_ +
               static_cast<std::size_t>(static_cast<std::int32_t>(at[u]));
    }

    void ask_around(const EdgePlace& at) {
        std::array<std::int32_t, 3> other = at.low;
        ++other[at.axis];
        for (std::size_t across = 0; across < 3; ++across) {
            const std::int32_t place = at.low[across];
            if (across == at.axis || (place != 0 && place != cells_)) continue;
            ask_for(side_of(at.low, across), place_on_side(at.low, across));
            ask_for(side_of(other, across), place_on_side(other, across));
        }
    }

    static std::size_t side_of(const std::array<std::int32_t, 3>& on_side, std::size_t axis) {
        return 2 * axis + (on_side[axis] == 0 ? 0 : 1);
    }

    std::size_t place_on_side(const std::array<std::int32_t, 3>& at, std::size_t axis) const {
        return static_cast<std::size_t>(at[later_axis_beside(axis)]) * width_ +
               static_cast<std::size_t>(at[earlier_axis_beside(axis)]);
    }

    // What vertices on the chunk's sides need from beyond them. Side by side, so that the field is asked for points
    // that are near each other.
    void ask(const Field& field) {
        memory_.outside_points.clear();
        for (std::size_t side = 0; side < side::count; ++side) {
            first_outside_[side] = memory_.outside_points.size();
            std::array<std::int32_t, 3> at{};
            at[side / 2] = side % 2 == 0 ? -1 : cells_ + 1;
            for (std::uint32_t i = 0; i < asked_[side]; ++i) {
                const auto place = static_cast<std::int32_t>(memory_.beyond_side[side][i]);
                at[earlier_axis_beside(side / 2)] = place % static_cast<std::int32_t>(width_);
                at[later_axis_beside(side / 2)] = place / static_cast<std::int32_t>(width_);
                memory_.outside_points.push_back(
                    block_.at(at[0] * level_step_, at[1] * level_step_, at[2] * level_step_));
            }
        }
        memory_.outside.resize(memory_.outside_points.size());
        if (!memory_.outside.empty()) field.densities(memory_.outside_points, memory_.outside);
    }

    float outside(std::size_t side, std::size_t place) const {
        return memory_.outside[first_outside_[side] + memory_.outside_number[side * width_ * width_ + place] - 1];
    }

    void put_on_side(const Group& group, std::uint32_t number, const Vector3& vertex, Gradient* out) {
        const std::size_t across = group.side / 2;
        const bool is_low = group.side % 2 == 0;
        const std::size_t u = earlier_axis_beside(group.axis), v = later_axis_beside(group.axis);
        const std::size_t side_u = earlier_axis_beside(across);
        const std::size_t on_side = place_on_side(vertex, side_u, later_axis_beside(across));
        const auto put = [&](SlopeBatch::End& end, const float* at, std::size_t place) {
            const float beyond = outside(group.side, place);
            const float within = is_low ? at[step_[across]] : *(at - step_[across]);
            const float down = is_low ? beyond : within, up = is_low ? within : beyond;
            end.middle[filled_] = *at;
            end.down_u[filled_] = across == u ? down : *(at - step_[u]);
            end.up_u[filled_] = across == u ? up : at[step_[u]];
            end.down_v[filled_] = across == v ? down : *(at - step_[v]);
            end.up_v[filled_] = across == v ? up : at[step_[v]];
        };
        SlopeBatch& batch = *memory_.slopes;
        const float* const low = samples_ + (memory_.edges[number] & EdgeWord::kPlace);
        put(batch.low, low, on_side);
        put(batch.high, low + step_[group.axis], on_side + (group.axis == side_u ? 1 : width_));
        keep(number, (&vertex.x)[group.axis], group.axis, out);
    }

    void put_on_sides(const EdgePlace& edge, std::uint32_t number, Gradient* out) {
        const std::size_t u = earlier_axis_beside(edge.axis);
        const std::size_t v = later_axis_beside(edge.axis);
        const auto put = [&](SlopeBatch::End& end, const std::array<std::int32_t, 3>& at) {
            const std::size_t place = static_cast<std::size_t>(at[0]) * step_[0] +
                                      static_cast<std::size_t>(at[1]) * step_[1] +
                                      static_cast<std::size_t>(at[2]) * step_[2];
            const auto beyond = [&](std::size_t axis) { return outside(side_of(at, axis), place_on_side(at, axis)); };
            end.middle[filled_] = samples_[place];
            end.down_u[filled_] = at[u] == 0 ? beyond(u) : samples_[place - step_[u]];
            end.up_u[filled_] = at[u] == cells_ ? beyond(u) : samples_[place + step_[u]];
            end.down_v[filled_] = at[v] == 0 ? beyond(v) : samples_[place - step_[v]];
            end.up_v[filled_] = at[v] == cells_ ? beyond(v) : samples_[place + step_[v]];
        };
        std::array<std::int32_t, 3> other = edge.low;
        ++other[edge.axis];
        put(memory_.slopes->low, edge.low);
        put(memory_.slopes->high, other);
        keep(number, edge.along, edge.axis, out);
    }

    // The vertex whose samples have been put into the batch.
    void keep(std::uint32_t number, float place, std::size_t axis, Gradient* out) {
        memory_.slopes->place[filled_] = place;
        memory_.slopes->axis[filled_] = static_cast<std::int32_t>(axis);
        numbers_[filled_++] = number;
        if (filled_ == SlopeBatch::kMost) flush(out);
    }

    void flush(Gradient* out) {
        std::array<Gradient, SlopeBatch::kMost + kSlopePadding> found;
        find_slopes(*memory_.slopes, filled_, found.data());
        for (std::size_t i = 0; i < filled_; ++i) out[numbers_[i]] = found[i];
        filled_ = 0;
    }

    // A vertex has exactly one coordinate that is no whole number.
    EdgePlace place_of(const Vector3& vertex) const {
        const float scale = level_step_ == 1 ? 1.0F : 0.5F;
        const float x = vertex.x * scale, y = vertex.y * scale, z = vertex.z * scale;
        const std::array<std::int32_t, 3> low{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
                                              static_cast<std::int32_t>(z)};
        const float in_x = x - static_cast<float>(low[0]);
        const float in_y = y - static_cast<float>(low[1]);
        const float in_z = z - static_cast<float>(low[2]);
        const std::size_t axis = in_x > 0 ? 0 : in_y > 0 ? 1 : 2;
        return {low, axis, in_x + in_y + in_z};
    }

    const SampleBlock& block_;
    impl::ExtractMemory& memory_;
    const float* const samples_;
    const std::int32_t level_step_;
    const std::int32_t cells_;  // of this level
    const std::size_t width_;   // samples along a side
    const std::array<std::size_t, 3> step_;
    std::array<std::uint32_t, side::count> asked_{};  // how many samples beyond each side
    std::array<std::size_t, side::count> first_outside_{};
    std::array<std::uint32_t, SlopeBatch::kMost> numbers_;  // of the vertices in the batch
    std::size_t filled_ = 0;
};

}  // namespace

void add_slopes(const ChunkGrid& grid, const SampleBlock& block, const Field& field, std::size_t level_step,
                std::span<const Vector3> vertices, impl::ExtractMemory& memory, Gradient* out) {
    Slopes slopes(grid, block, level_step, memory);
    if (level_step == 1) {
        slopes.fill_own(field, vertices, out);
    } else {
        slopes.fill_half(field, vertices, out);
    }
}

}  // namespace quarry::terrain::transvoxel
