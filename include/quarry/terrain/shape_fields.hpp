#pragma once

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"

// Shapes whose density is the distance to their surface, negative inside. Constructors throw std::invalid_argument for
// sizes that are not finite or not above 0, and for places further out than 1e9.
namespace quarry::terrain {

// Solid below the plane through point; normal points out of the ground and need not have length 1.
class QUARRY_API PlaneField final : public Field {
  public:
    // Through that point; the normal points to the air and need not have length 1.
    PlaneField(Position point, Position normal);

    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;

  private:
    Position normal_;
    double distance_ = 0;  // of the plane from 0, along the normal
};

// A solid ball.
class QUARRY_API SphereField final : public Field {
  public:
    // World units; throws std::invalid_argument for a radius that is not above 0.
    SphereField(Position centre, double radius);

    void sample(const SampleBlock& block, float* out) const override;
    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    std::optional<Box> extent() const override;
    bool is_distance() const noexcept override { return true; }

  private:
    Position centre_;
    double radius_;
};

// A solid box.
class QUARRY_API BoxField final : public Field {
  public:
    // half_size: from the centre to each side.
    BoxField(Position centre, Position half_size);

    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    std::optional<Box> extent() const override;
    bool is_distance() const noexcept override { return true; }

  private:
    Position centre_;
    Position half_size_;
};

// A ring around the vertical axis through its centre.
class QUARRY_API TorusField final : public Field {
  public:
    // ring_radius: from the centre to the middle of the tube.
    TorusField(Position centre, double ring_radius, double tube_radius);

    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    std::optional<Box> extent() const override;
    bool is_distance() const noexcept override { return true; }

  private:
    Position centre_;
    double ring_radius_;
    double tube_radius_;
};

// All points up to the radius away from the straight line between two points.
class QUARRY_API CapsuleField final : public Field {
  public:
    // Throws std::invalid_argument for numbers that are not finite or out of range.
    CapsuleField(Position first, Position second, double radius);

    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    std::optional<Box> extent() const override;
    bool is_distance() const noexcept override { return true; }

  private:
    Position first_;
    Position second_;
    double radius_;
};

// Upright, from its base to `height` above it. With a top radius above 0 its tip is cut off; one of the radii may be 0.
class QUARRY_API ConeField final : public Field {
  public:
    // base: the middle of its lower end.
    ConeField(Position base, double height, double base_radius, double top_radius = 0);

    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    std::optional<Box> extent() const override;
    bool is_distance() const noexcept override { return true; }

  private:
    double distance(Position p) const noexcept;

    Position middle_;
    double half_height_;
    double base_radius_;
    double top_radius_;
};

// Its density is no distance, which has no formula: (length(d / radii) - 1) times the least radius, never more than
// the distance.
class QUARRY_API EllipsoidField final : public Field {
  public:
    // Throws std::invalid_argument for numbers that are not finite or out of range.
    EllipsoidField(Position centre, Position radii);

    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;

  private:
    Position centre_;
    Position radii_;
    double least_;
};

// A box whose edges are round: rounding is their radius, at most the least half size.
class QUARRY_API RoundedBoxField final : public Field {
  public:
    // Throws std::invalid_argument for numbers that are not finite or out of range.
    RoundedBoxField(Position centre, Position half_size, double rounding);

    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    std::optional<Box> extent() const override;
    bool is_distance() const noexcept override { return true; }

  private:
    Position centre_;
    Position core_;  // half the size of the box that is rounded
    double rounding_;
};

}  // namespace quarry::terrain
