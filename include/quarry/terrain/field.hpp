#pragma once

#include <memory>
#include <optional>
#include <span>

#include "quarry/export.hpp"
#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain {

// A density at every place of the world, in world units: solid where it is negative, the surface where it is 0.
//
// A field has no state that changes: all its functions may be called from any number of threads at once. The same place
// always has the same density, bit for bit: whichever block it is sampled in, at whatever step, on whatever processor.
// Your own field has to override densities, bounds and gradients; sample, which is what meshing spends its time
// in, only where it can be faster than calling densities for each row.
class QUARRY_API Field {
  public:
    Field() = default;
    Field(const Field&) = default;
    Field& operator=(const Field&) = default;
    virtual ~Field();

    // Densities at the block's samples into out[0 .. block.size()), x fastest. The block is as check(block) wants it.
    // The bits are those that densities gives for block.at(x, y, z).
    virtual void sample(const SampleBlock& block, float* out) const;

    // As sample, for meshing: a sample has its density where one of another sign lies within two steps of it along each
    // axis, in the block; elsewhere it may have any density of its own sign. For fields that can tell where the surface
    // is not. The default is sample.
    virtual void sample_surface(const SampleBlock& block, float* out) const;

    // Densities at any places, out[i] of points[i]; the two are of equal size.
    virtual void densities(std::span<const Position> points, std::span<float> out) const = 0;

    // Holds the density, as the functions above round it, of every place in the box. May be wider, never narrower.
    virtual Interval bounds(const Box& box) const = 0;

    // As bounds, and as narrow as the field can tell: bounds may stop to look once it is clear whether there is a
    // surface. For fields that add something to the density of another one. The default is bounds.
    virtual Interval range(const Box& box) const;

    // Gradients of the densities, out[i] at points[i], without details that samples spacing world units apart cannot
    // show (waves shorter than 2 * spacing): voxel size times 2^LOD for a vertex of that LOD. Not normalised.
    virtual void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const = 0;

    // Whether the normals of a mesh whose vertices lie spacing world units apart are better found by gradients. Else
    // (the default) they come from the differences of the samples around each vertex. For fields that jump beside their
    // surface, and for those whose gradients cost less than samples.
    virtual bool prefers_gradients(double spacing) const noexcept;

    // How far from 0 along each axis, in world units, the field is told apart from place to place. Chunks that lie
    // further out are refused. Infinite unless a field says otherwise: noise ends where it has 2^36 of its finest
    // waves.
    virtual double reach() const noexcept;

    // Where a field is that ends somewhere: outside of this box every density is at least the distance to it. Nothing
    // (the default) for a field that goes on. Combinations of many fields look only at those that are near.
    virtual std::optional<Box> extent() const;

    // Whether densities never differ by more than the distance between two places, as those of most shapes. Many such
    // fields in one combination are looked at only beside their surfaces. The default is no.
    virtual bool is_distance() const noexcept;

    // A field with the same bits at every place of the box and less to compute; null (the default) where there is none.
    // Combinations leave out what does not matter there. It is asked for once a chunk.
    virtual std::shared_ptr<const Field> within(const Box& box) const;

    // At one place.
    float density_at(Position point) const;
    Gradient gradient_at(Position point, double spacing) const;
};

}  // namespace quarry::terrain
