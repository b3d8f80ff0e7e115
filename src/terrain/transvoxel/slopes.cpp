#include "terrain/transvoxel/slopes.hpp"

#include <array>
#include <cstdint>

namespace quarry::terrain::transvoxel {
namespace {

// The lattice edge that a vertex lies on.
struct EdgePlace {
    std::array<std::int32_t, 3> low;
    std::size_t axis;
    float along;
};

class Slopes {
  public:
    Slopes(const ChunkGrid& grid, const SampleBlock& block, std::size_t level_step, impl::ExtractMemory& memory)
        : block_(block),
          memory_(memory),
          samples_(memory.samples.data()),
          level_step_(static_cast<std::int32_t>(level_step)),
          cells_(static_cast<std::int32_t>(grid.cells / level_step)),
          width_(grid.cells / level_step + 1),
          step_{grid.step[0] * level_step, grid.step[1] * level_step, grid.step[2] * level_step} {}

    // What the vertices on the chunk's sides need from beyond them.
    void fetch_outside(const Field& field, std::span<const Vector3> vertices) {
        memory_.outside_number.assign(side::count * width_ * width_, 0);
        memory_.outside_points.clear();
        const auto end = static_cast<float>(cells_ * level_step_);
        const auto on_side = [&](float at) { return at == 0 || at == end; };
        for (const Vector3& vertex : vertices) {
            if (on_side(vertex.x) || on_side(vertex.y) || on_side(vertex.z)) ask_around(place_of(vertex));
        }
        memory_.outside.resize(memory_.outside_points.size());
        if (!memory_.outside.empty()) field.densities(memory_.outside_points, memory_.outside);
    }

    Gradient at(const Vector3& vertex) const {
        const EdgePlace at = place_of(vertex);
        return at.axis == 0 ? slope_on<0>(at) : at.axis == 1 ? slope_on<1>(at) : slope_on<2>(at);
    }

    // All vertices of the chunk's own cells, in the order in which mesh_regular_cells makes them. So the axis is known
    // and need not be found out from the vertex, which a processor could not foresee.
    void fill_own(const ChunkGrid& grid, Gradient* out) const {
        const auto row = [&](std::size_t y, std::size_t z) { return memory_.signs[z * grid.samples + y]; };
        std::size_t vertex = 0;
        for (std::size_t z = 0; z < grid.samples; ++z) {
            for (std::size_t y = 0; y < grid.samples; ++y) {
                const std::uint64_t here = row(y, z);
                fill_row<0>((here ^ here >> 1) & low_bits(grid.cells), y, z, vertex, out);
                if (y < grid.cells) fill_row<1>(here ^ row(y + 1, z), y, z, vertex, out);
            }
            for (std::size_t y = 0; y < grid.samples && z < grid.cells; ++y) {
                fill_row<2>(row(y, z) ^ row(y, z + 1), y, z, vertex, out);
            }
        }
    }

  private:
    template <std::size_t Axis>
    void fill_row(std::uint64_t crossed, std::size_t y, std::size_t z, std::size_t& vertex, Gradient* out) const {
        for_each_bit(crossed, [&](std::size_t x) {
            const EdgePlace at{
                {static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), static_cast<std::int32_t>(z)}, Axis, 0};
            const Vector3& place = memory_.positions[vertex];
            const float along = Axis == 0 ? place.x : Axis == 1 ? place.y : place.z;
            out[vertex++] = slope_on<Axis>({at.low, Axis, along - static_cast<float>(at.low[Axis])});
        });
    }

    void ask_around(const EdgePlace& at) {
        for (std::size_t across = 0; across < 3; ++across) {
            const std::int32_t place = at.low[across];
            if (across == at.axis || (place != 0 && place != cells_)) continue;
            ask_for(at.low, across);
            std::array<std::int32_t, 3> other = at.low;
            ++other[at.axis];
            ask_for(other, across);
        }
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

    // Whether all samples around the edge are the chunk's own.
    bool is_within(const EdgePlace& at) const {
        const auto inner = [&](std::size_t axis) {
            return axis == at.axis ||
                   static_cast<std::uint32_t>(at.low[axis] - 1) < static_cast<std::uint32_t>(cells_ - 1);
        };
        return inner(0) && inner(1) && inner(2);
    }

    std::size_t index(const std::array<std::int32_t, 3>& at) const {
        return static_cast<std::size_t>(at[0]) * step_[0] + static_cast<std::size_t>(at[1]) * step_[1] +
               static_cast<std::size_t>(at[2]) * step_[2];
    }

    // Of the sample beyond the side next to one that lies on it.
    std::uint32_t& number_outside(const std::array<std::int32_t, 3>& on_side, std::size_t axis) const {
        const std::size_t u = axis == 0 ? 1 : 0;
        const std::size_t v = axis == 2 ? 1 : 2;
        const std::size_t side = 2 * axis + (on_side[axis] == 0 ? 0 : 1);
        return memory_.outside_number[(side * width_ + static_cast<std::size_t>(on_side[v])) * width_ +
                                      static_cast<std::size_t>(on_side[u])];
    }

    // Numbers count from 1; 0 is what nobody has asked for.
    void ask_for(std::array<std::int32_t, 3> on_side, std::size_t axis) {
        std::uint32_t& number = number_outside(on_side, axis);
        if (number != 0) return;
        on_side[axis] += on_side[axis] == 0 ? -1 : 1;
        memory_.outside_points.push_back(
            block_.at(on_side[0] * level_step_, on_side[1] * level_step_, on_side[2] * level_step_));
        number = static_cast<std::uint32_t>(memory_.outside_points.size());
    }

    // A sample and those beside it on the two axes other than the edge's, the earlier axis u.
    struct Neighbours {
        float middle;
        float down_u, up_u;
        float down_v, up_v;
    };

    // Along the edge, u and v.
    struct Local {
        float a, u, v;
    };

    // The slope at a vertex on an edge along the axis.
    template <std::size_t Axis>
    Gradient slope_on(const EdgePlace& at) const {
        const Local slope = slope_across < Axis == 0 ? 1 : 0, Axis == 2 ? 1 : 2 > (at);
        if constexpr (Axis == 0) return {slope.a, slope.u, slope.v};
        if constexpr (Axis == 1) return {slope.u, slope.a, slope.v};
        return {slope.u, slope.v, slope.a};
    }

    template <std::size_t U, std::size_t V>
    Local slope_across(const EdgePlace& at) const {
        const std::size_t place = index(at.low);
        const std::size_t next = place + step_[3 - U - V];
        Neighbours low;
        Neighbours high;
        if (is_within(at)) {
            low = {samples_[place], samples_[place - step_[U]], samples_[place + step_[U]], samples_[place - step_[V]],
                   samples_[place + step_[V]]};
            high = {samples_[next], samples_[next - step_[U]], samples_[next + step_[U]], samples_[next - step_[V]],
                    samples_[next + step_[V]]};
        } else {
            std::array<std::int32_t, 3> other = at.low;
            ++other[3 - U - V];
            low = {samples_[place], below(at.low, place, U), above(at.low, place, U), below(at.low, place, V),
                   above(at.low, place, V)};
            high = {samples_[next], below(other, next, U), above(other, next, U), below(other, next, V),
                    above(other, next, V)};
        }
        const auto blended = [&](float from, float to) { return from + at.along * (to - from); };
        const float down_u = blended(low.down_u, high.down_u), up_u = blended(low.up_u, high.up_u);
        const float down_v = blended(low.down_v, high.down_v), up_v = blended(low.up_v, high.up_v);
        const Local slope{high.middle - low.middle, 0.5F * (up_u - down_u), 0.5F * (up_v - down_v)};
        // Where the density at the vertex's height goes on rising, or falling, from one side to the other, the surface
        // leans the way the slope says on all sides.
        if (down_u * up_u <= 0 && down_v * up_v <= 0) return slope;
        return straightened(low, high, at.along, slope);
    }

    float below(const std::array<std::int32_t, 3>& at, std::size_t place, std::size_t across) const {
        return at[across] == 0 ? memory_.outside[number_outside(at, across) - 1] : samples_[place - step_[across]];
    }
    float above(const std::array<std::int32_t, 3>& at, std::size_t place, std::size_t across) const {
        return at[across] == cells_ ? memory_.outside[number_outside(at, across) - 1] : samples_[place + step_[across]];
    }

    // Where the surface leaves one of the four squares beside the edge, from the vertex: along the edge, and away from
    // it. The samples of the square are the edge's and those beside them.
    struct Leave {
        float along;
        float away;
    };

    static Leave leave(float low, float high, float beside_low, float beside_high, float along) noexcept {
        const bool low_inside = low < 0;
        const bool turns_low = (beside_low < 0) != low_inside;    // the surface crosses from the edge's lower end
        const bool turns_high = (beside_high < 0) == low_inside;  // and from its upper one
        if (turns_low && (!turns_high || low_inside)) return {-along, crossing(low, beside_low, kFineUnits)};
        if (turns_high) return {1 - along, crossing(high, beside_high, kFineUnits)};
        return {crossing(beside_low, beside_high, kFineUnits) - along, 1};
    }

    // The normal of the four corners that the surface has around the vertex, where the slope does not agree with each
    // of them: there the samples change too fast for differences over two cells. Otherwise nothing.
    static Local straightened(const Neighbours& low, const Neighbours& high, float along, const Local& slope) noexcept {
        const Leave up_u = leave(low.middle, high.middle, low.up_u, high.up_u, along);
        const Leave up_v = leave(low.middle, high.middle, low.up_v, high.up_v, along);
        const Leave down_u = leave(low.middle, high.middle, low.down_u, high.down_u, along);
        const Leave down_v = leave(low.middle, high.middle, low.down_v, high.down_v, along);
        // Around the edge, from u to v; the normal points along it where the lower end is inside.
        const float out = low.middle < 0 ? 1.0F : -1.0F;
        const std::array<Local, 4> ways{Local{up_u.along, up_u.away, 0}, Local{up_v.along, 0, up_v.away},
                                        Local{down_u.along, -down_u.away, 0}, Local{down_v.along, 0, -down_v.away}};
        Local sum{0, 0, 0};
        bool agrees = true;
        for (std::size_t i = 0; i < 4; ++i) {
            const Local& p = ways[i];
            const Local& q = ways[(i + 1) % 4];
            // u x v is the edge's direction in a right-handed frame (a, u, v).
            const Local corner{out * (p.u * q.v - p.v * q.u), out * (p.v * q.a - p.a * q.v),
                               out * (p.a * q.u - p.u * q.a)};
            agrees = agrees && corner.a * slope.a + corner.u * slope.u + corner.v * slope.v > 0;
            sum = {sum.a + corner.a, sum.u + corner.u, sum.v + corner.v};
        }
        return agrees ? slope : sum;
    }

    const SampleBlock& block_;
    impl::ExtractMemory& memory_;
    const float* const samples_;
    const std::int32_t level_step_;
    const std::int32_t cells_;  // of this level
    const std::size_t width_;   // samples along a side
    const std::array<std::size_t, 3> step_;
};

}  // namespace

void add_slopes(const ChunkGrid& grid, const SampleBlock& block, const Field& field, std::size_t level_step,
                std::span<const Vector3> vertices, impl::ExtractMemory& memory, Gradient* out) {
    Slopes slopes(grid, block, level_step, memory);
    slopes.fetch_outside(field, vertices);
    if (level_step == 1) {
        slopes.fill_own(grid, out);
        return;
    }
    for (std::size_t i = 0; i < vertices.size(); ++i) out[i] = slopes.at(vertices[i]);
}

}  // namespace quarry::terrain::transvoxel
