#include "terrain/edits/brush.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

#include "terrain/options.hpp"

namespace quarry::terrain::edits {
namespace {

constexpr double kFarthestEdit = 1e9;
constexpr double kSmallestEdit = 1e-3;
constexpr std::size_t kStampAtOnce = 64;

void check_vector(const char* option, Vector3 value, double low, double high) {
    impl::require_range((std::string(option) + ".x").c_str(), value.x, low, high);
    impl::require_range((std::string(option) + ".y").c_str(), value.y, low, high);
    impl::require_range((std::string(option) + ".z").c_str(), value.z, low, high);
}

void check_kind(const Edit& edit) {
    if (edit.kind > EditKind::remove) {
        throw std::invalid_argument("Edit.kind is " + std::to_string(static_cast<int>(edit.kind)) +
                                    "; 0 (add) to 8 (remove) is allowed");
    }
    if (edit.shape > BrushShape::stamp) {
        throw std::invalid_argument("Edit.shape is " + std::to_string(static_cast<int>(edit.shape)) +
                                    "; 0 (sphere) to 3 (stamp) is allowed");
    }
    if (edit.kind == EditKind::paint) impl::require_range("Edit.material", edit.material, 0, 3);
    if (edit.kind == EditKind::raise) impl::require_range("Edit.amount", edit.amount, -kFarthestEdit, kFarthestEdit);
    if (edit.kind == EditKind::flatten) {
        check_vector("Edit.normal", edit.normal, -1e6, 1e6);
        const double length = std::sqrt(double{edit.normal.x} * edit.normal.x + double{edit.normal.y} * edit.normal.y +
                                        double{edit.normal.z} * edit.normal.z);
        impl::require_range("the length of Edit.normal", length, 1e-6, 2e6);
    }
}

// The lowest float that is not below.
float rounded_up(double value) noexcept {
    const auto nearest = static_cast<float>(value);
    return nearest < value ? std::nextafter(nearest, std::numeric_limits<float>::infinity()) : nearest;
}

DensityChange::Towards towards(EditKind kind) noexcept {
    switch (kind) {
        case EditKind::add:
            return DensityChange::Towards::brush;
        case EditKind::dig:
            return DensityChange::Towards::hollow;
        case EditKind::smooth:
            return DensityChange::Towards::mean;
        case EditKind::raise:
            return DensityChange::Towards::lower;
        default:
            return DensityChange::Towards::a_target;
    }
}

}  // namespace

void check(const Edit& edit, std::span<const Stamp> stamps, const Lattice& lattice) {
    check_kind(edit);
    if (edit.kind == EditKind::undo || edit.kind == EditKind::redo) return;
    // Differences of coordinates have to fit 32 bits, with room for the brush.
    const double farthest = std::min(kFarthestEdit, 0.5 * kLatticeLimit * lattice.voxel_size);
    impl::require_range("Edit.at.x", edit.at.x, -farthest + lattice.origin.x, farthest + lattice.origin.x);
    impl::require_range("Edit.at.y", edit.at.y, -farthest + lattice.origin.y, farthest + lattice.origin.y);
    impl::require_range("Edit.at.z", edit.at.z, -farthest + lattice.origin.z, farthest + lattice.origin.z);
    if (edit.kind == EditKind::remove) return;
    impl::require_range("Edit.strength", edit.strength, 0, 1);
    impl::require_range("Edit.falloff", edit.falloff, 0, kFarthestEdit);
    if (edit.shape == BrushShape::box) {
        check_vector("Edit.extent", edit.extent, kSmallestEdit, kFarthestEdit);
    } else {
        impl::require_range("Edit.radius", edit.radius, kSmallestEdit, kFarthestEdit);
    }
    if (edit.shape == BrushShape::capsule) check_vector("Edit.extent", edit.extent, -kFarthestEdit, kFarthestEdit);
    if (edit.shape == BrushShape::stamp && edit.stamp >= stamps.size()) {
        throw std::invalid_argument("Edit.stamp is " + std::to_string(edit.stamp) + "; there are " +
                                    std::to_string(stamps.size()) + " stamps, counted from 0");
    }
}

Brush::Brush(const Edit& edit, std::span<const Stamp> stamps, const Lattice& lattice) noexcept
    : edit_(edit),
      stamp_(edit.shape == BrushShape::stamp ? &stamps[edit.stamp] : nullptr),
      lattice_(lattice),
      margin_((edit.kind == EditKind::add || edit.kind == EditKind::dig) ? kMarginVoxels * lattice.voxel_size : 0) {}

Position Brush::half_size() const noexcept {
    const double radius = edit_.radius;
    switch (edit_.shape) {
        case BrushShape::box:
            return {edit_.extent.x, edit_.extent.y, edit_.extent.z};
        case BrushShape::capsule:
            return {radius + std::abs(edit_.extent.x) / 2.0, radius + std::abs(edit_.extent.y) / 2.0,
                    radius + std::abs(edit_.extent.z) / 2.0};
        default:
            return {radius, radius, radius};
    }
}

LatticeBox Brush::reach() const {
    const Position half = half_size();
    const bool is_line = edit_.shape == BrushShape::capsule;
    // Stamps are cut off where they end.
    const double margin = stamp_ != nullptr ? 0 : margin_;
    std::array<std::int32_t, 6> ends{};
    double samples = 1;
    const auto along = [&](std::size_t axis, double at, double line, double size, double origin) {
        const double middle = at + (is_line ? line / 2 : 0) - origin;
        // Distances are rounded to floats: a point just beyond the brush may still count as reached.
        const double slack = 1e-3 + 1e-6 * size / lattice_.voxel_size;
        const double low = std::ceil((middle - size - margin) / lattice_.voxel_size - slack);
        const double high = std::floor((middle + size + margin) / lattice_.voxel_size + slack);
        samples *= std::max(high - low + 1, 0.0);
        ends[axis] = static_cast<std::int32_t>(std::clamp<double>(low, -kLatticeLimit, kLatticeLimit));
        ends[axis + 3] = static_cast<std::int32_t>(std::clamp<double>(high, -kLatticeLimit, kLatticeLimit));
    };
    along(0, edit_.at.x, edit_.extent.x, half.x, lattice_.origin.x);
    along(1, edit_.at.y, edit_.extent.y, half.y, lattice_.origin.y);
    along(2, edit_.at.z, edit_.extent.z, half.z, lattice_.origin.z);
    if (samples > static_cast<double>(kMostEditSamples)) {
        std::ostringstream message;
        message << "the edit's brush spans " << samples << " samples; at most " << kMostEditSamples << " are allowed";
        throw std::invalid_argument(message.str());
    }
    return {{ends[0], ends[1], ends[2]}, {ends[3], ends[4], ends[5]}};
}

BrushForm Brush::form() const noexcept {
    const Vector3 extent = edit_.extent;
    return {edit_.shape, edit_.radius, extent, extent.x * extent.x + extent.y * extent.y + extent.z * extent.z};
}

DensityChange Brush::change(FixedSteps fixed) const noexcept {
    return {towards(edit_.kind),
            form(),
            rounded_up(margin_),
            edit_.strength,
            edit_.falloff,
            edit_.amount,
            static_cast<float>(fixed.step / 2),
            fixed};
}

void Brush::place(LatticePoint corner, BrickPart& part) const noexcept {
    for (std::int32_t i = 0; i < kBrickSize; ++i) {
        const auto at = static_cast<std::size_t>(i);
        part.x[at] = static_cast<float>(lattice_.x(corner.x + i) - edit_.at.x);
        part.y[at] = static_cast<float>(lattice_.y(corner.y + i) - edit_.at.y);
        part.z[at] = static_cast<float>(lattice_.z(corner.z + i) - edit_.at.z);
    }
}

void Brush::distances(LatticePoint first, std::int32_t step, std::span<float> out) const {
    if (stamp_ != nullptr) return stamp_distances(first, step, out);
    const auto y = static_cast<float>(lattice_.y(first.y) - edit_.at.y);
    const auto z = static_cast<float>(lattice_.z(first.z) - edit_.at.z);
    std::array<float, kBrickSize> x{};
    std::array<float, kBrickSize> row{};
    for (std::size_t at = 0; at < out.size(); at += x.size()) {
        const std::size_t some = std::min(x.size(), out.size() - at);
        for (std::size_t i = 0; i < some; ++i) {
            x[i] = static_cast<float>(lattice_.x(first.x + static_cast<std::int32_t>(at + i) * step) - edit_.at.x);
        }
        row_distances(form(), x.data(), y, z, row.data());
        std::copy_n(row.begin(), some, out.begin() + static_cast<std::ptrdiff_t>(at));
    }
}

void Brush::stamp_distances(LatticePoint first, std::int32_t step, std::span<float> out) const {
    const double scale = edit_.radius / stamp_->radius;
    std::array<Position, kStampAtOnce> places;
    for (std::size_t at = 0; at < out.size(); at += kStampAtOnce) {
        const std::size_t some = std::min(kStampAtOnce, out.size() - at);
        for (std::size_t i = 0; i < some; ++i) {
            const double along = lattice_.x(first.x + static_cast<std::int32_t>(at + i) * step) - edit_.at.x;
            places[i] = {along / scale, (lattice_.y(first.y) - edit_.at.y) / scale,
                         (lattice_.z(first.z) - edit_.at.z) / scale};
        }
        stamp_->field->densities(std::span<const Position>(places).first(some), out.subspan(at, some));
    }
    for (float& distance : out) distance = static_cast<float>(distance * scale);
}

float Brush::share(float distance) const noexcept {
    if (edit_.falloff > 0) {
        if (!(distance < 0)) return 0;
        const float inwards = std::min(-distance / edit_.falloff, 1.0F);
        return edit_.strength * (inwards * inwards * (3 - 2 * inwards));
    }
    return distance < margin_ || distance < 0 ? edit_.strength : 0;
}

void Brush::heights(LatticePoint first, std::int32_t step, std::span<float> out) const noexcept {
    const Vector3 n = edit_.normal;
    const double length = std::sqrt(double{n.x} * n.x + double{n.y} * n.y + double{n.z} * n.z);
    const double across = (lattice_.y(first.y) - edit_.at.y) * n.y + (lattice_.z(first.z) - edit_.at.z) * n.z;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double along = lattice_.x(first.x + static_cast<std::int32_t>(i) * step) - edit_.at.x;
        out[i] = static_cast<float>((along * n.x + across) / length);
    }
}

}  // namespace quarry::terrain::edits
