// Questions about the ground, answered from patches where they are at hand, else from the field.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "quarry/terrain/field.hpp"
#include "terrain/collision/contact.hpp"
#include "terrain/collision/engine.hpp"
#include "terrain/nearest_rounding.hpp"
#include "terrain/options.hpp"
#include "terrain/rounding.hpp"
#include "terrain/world/distance.hpp"
#include "terrain/world/limits.hpp"

namespace quarry::terrain::collision {
namespace {

constexpr double kMostReach = 1e6;

Vec to_vec(const Vector3& at, const Vec& corner) noexcept {
    return {at.x + corner.x, at.y + corner.y, at.z + corner.z};
}
Vec to_vec(const LatticePlace& at) noexcept {
    return {at[0], at[1], at[2]};
}

// Calls visit(triangle) for all of a patch, relative to where its chunk's corner is.
template <class Visit>
void for_each_triangle(const CollisionPatch& patch, const Vec& corner, Visit visit) {
    for (std::size_t i = 0; i + 2 < patch.indices.size(); i += 3) {
        visit(Triangle{to_vec(patch.positions[patch.indices[i]], corner),
                       to_vec(patch.positions[patch.indices[i + 1]], corner),
                       to_vec(patch.positions[patch.indices[i + 2]], corner)});
    }
}

// The part of a ray within a box, if any; `wider` on all sides.
std::optional<std::pair<double, double>> part_within(const Vec& from, const Vec& direction, double reach,
                                                     const Vec& low, const Vec& high, double wider) noexcept {
    double begin = 0;
    double end = reach;
    const auto clip = [&](double at, double step, double l, double h) {
        if (step == 0) {
            if (at < l - wider || at > h + wider) end = -1;
            return;
        }
        const double a = (l - wider - at) / step;
        const double b = (h + wider - at) / step;
        begin = std::max(begin, std::min(a, b));
        end = std::min(end, std::max(a, b));
    };
    clip(from.x, direction.x, low.x, high.x);
    clip(from.y, direction.y, low.y, high.y);
    clip(from.z, direction.z, low.z, high.z);
    if (begin > end) return std::nullopt;
    return std::pair(begin, end);
}

// Room for what is rounded, in voxels.
constexpr double kSlack = 1e-6;

void require_finite(const char* what, const Position& at) {
    if (std::isfinite(at.x) && std::isfinite(at.y) && std::isfinite(at.z)) return;
    throw std::invalid_argument(std::string(what) + " is not finite; three finite numbers are allowed");
}

Vec unit_of(const Position& direction) {
    require_finite("the direction", direction);
    const double length = impl::length(direction.x, direction.y, direction.z);
    impl::require_range("the length of the direction", length, 1e-100, 1e100);
    return {direction.x / length, direction.y / length, direction.z / length};
}

}  // namespace

// What the parts of an answer came from.
class Engine::Answer {
  public:
    void count(bool from_patches) noexcept { (from_patches ? patches_ : field_) = true; }
    AnswerSource source() const noexcept {
        if (patches_ && field_) return AnswerSource::both;
        return field_ ? AnswerSource::field : AnswerSource::patches;
    }
    bool has_field() const noexcept { return field_; }

  private:
    bool patches_ = false;
    bool field_ = false;
};

ChunkKey Engine::chunk_at(const Vec& place) const noexcept {
    const auto along = [&](double at) { return static_cast<std::int32_t>(std::floor(at / width())); };
    return {0, along(place.x), along(place.y), along(place.z)};
}

std::shared_ptr<const PatchSet> Engine::at_hand(const ChunkKey& key) const {
    const auto found = chunks_.find(key);
    if (found == chunks_.end() || !found->second.is_current) return nullptr;
    return found->second.patches;
}

// From chunk to chunk along the ray, so that the first one with a hit has the answer.
RayAnswer Engine::raycast(const Position& from, const Position& direction, const RayOptions& options) const {
    host_.assert_host("CollisionWorld::raycast");
    const impl::NearestRounding nearest;
    impl::require_range("RayOptions.reach", options.reach, 1e-6, kMostReach);
    impl::require_range("RayOptions.resolution", options.resolution, 1e-6, 1e6);
    require_finite("the ray's start", from);
    const Vec way = unit_of(direction);
    const double voxel = options_.lattice.voxel_size;
    const double reach = options.reach / voxel;
    const Vec start = to_vec(impl::on_lattice(from, options_.lattice));
    for (const double along : {start.x, start.y, start.z}) impl::check_reach(std::abs(along) + reach + width());
    const auto world_at = [&](double t) {
        return Position{from.x + way.x * t * voxel, from.y + way.y * t * voxel, from.z + way.z * t * voxel};
    };
    Answer answer;
    const auto hit_at = [&](double t) { return RayAnswer{RayHit{t * voxel, world_at(t)}, answer.source()}; };
    // The field is asked once for each stretch without patches.
    constexpr double kNowhere = -1;
    double unknown_from = kNowhere;
    const auto ask_field = [&](double end) -> std::optional<double> {
        if (unknown_from == kNowhere) return std::nullopt;
        const double begin = std::exchange(unknown_from, kNowhere);
        const double length = std::clamp((end - begin) * voxel, 1e-6, kMostReach);
        const auto found =
            terrain::raycast(*source_->field, world_at(begin), {way.x, way.y, way.z}, {length, options.resolution});
        if (!found) return std::nullopt;
        return std::min(begin + found->distance / voxel, reach);
    };
    for (double begin = 0; begin < reach;) {
        const ChunkKey key = chunk_at(start + way * (begin == 0 ? 0 : begin + kSlack));
        const PlaceBox box = box_of(key);
        const auto part = part_within(start, way, reach, to_vec(box.low), to_vec(box.high), kSlack);
        // A step beyond each border: so the next chunk is another one, whatever is rounded.
        const double end = std::max(part ? part->second : begin, begin + kSlack);
        const auto patches = at_hand(key);
        answer.count(patches != nullptr);
        if (patches == nullptr && unknown_from == kNowhere) unknown_from = begin;
        if (patches != nullptr) {
            if (const auto found = ask_field(begin)) return hit_at(*found);
            if (const auto found = first_crossing(*patches, to_vec(box.low), start, way, reach)) {
                // The surface from behind: all up to it is ground.
                return hit_at(found->leaves && !answer.has_field() ? 0 : found->distance);
            }
        }
        begin = end;
    }
    if (const auto found = ask_field(reach)) return hit_at(*found);
    // No surface was met: the way is all ground or all air.
    if (!answer.has_field() && source_->field->density_at(from) < 0) {
        answer.count(false);
        return hit_at(0);
    }
    return {std::nullopt, answer.source()};
}

std::optional<Crossing> Engine::first_crossing(const PatchSet& patches, const Vec& corner, const Vec& start,
                                               const Vec& way, double reach) {
    std::optional<Crossing> first;
    for (const auto& patch : patches.patches) {
        const auto part = part_within(start, way, reach, to_vec(patch->bounds.low, corner),
                                      to_vec(patch->bounds.high, corner), kSlack);
        if (!part) continue;
        // From where the patch begins: numbers stay small, however far the ray has come.
        const Vec from = start + way * part->first;
        for_each_triangle(*patch, corner, [&](const Triangle& triangle) {
            std::optional<Crossing> found = crossing(from, way, triangle);
            if (!found) return;
            found->distance += part->first;
            if (found->distance <= reach && (!first || found->distance < first->distance)) first = found;
        });
    }
    return first;
}

SweepAnswer Engine::sweep(const Position& from, const Position& direction, double radius, double reach) const {
    host_.assert_host("CollisionWorld::sweep");
    const impl::NearestRounding nearest;
    impl::require_range("the sphere's radius", radius, 1e-6, 1e4);
    impl::require_range("the sweep's reach", reach, 0, kMostReach);
    require_finite("the sweep's start", from);
    const Vec way = unit_of(direction);
    const double voxel = options_.lattice.voxel_size;
    const double r = radius / voxel;
    const Vec start = to_vec(impl::on_lattice(from, options_.lattice));
    for (const double along : {start.x, start.y, start.z}) {
        impl::check_reach(std::abs(along) + (reach + radius) / voxel + width());
    }
    Answer answer;
    double first = reach / voxel;
    std::optional<Triangle> touched;
    for (const ChunkKey& key : chunks_along(start, way, r, first)) {
        const PlaceBox box = box_of(key);
        if (!part_within(start, way, first, to_vec(box.low), to_vec(box.high), r + kSlack)) continue;
        std::shared_ptr<const PatchSet> patches = at_hand(key);
        answer.count(patches != nullptr);
        if (patches == nullptr) patches = std::make_shared<PatchSet>(make_patches(*bare_source(), key, nullptr));
        for (const auto& patch : patches->patches) {
            const Vec corner = to_vec(box.low);
            if (!part_within(start, way, first, to_vec(patch->bounds.low, corner), to_vec(patch->bounds.high, corner),
                             r + kSlack)) {
                continue;
            }
            for_each_triangle(*patch, corner, [&](const Triangle& triangle) {
                const std::optional<double> found = first_touch(start, way, r, first, triangle);
                if (!found || (touched && *found >= first)) return;
                first = *found;
                touched = triangle;
            });
        }
    }
    const auto world = [&](const Vec& at) {
        const Vec by = (at - start) * voxel;
        return Position{from.x + by.x, from.y + by.y, from.z + by.z};
    };
    if (!touched || first > 0) {
        // A sphere that touches no surface where it begins is all in the air or all in the ground.
        if (source_->field->density_at(from) < 0) {
            answer.count(false);
            return {SweepHit{0, from, from, {}}, answer.source()};
        }
        if (!touched) return {std::nullopt, answer.source()};
    }
    const Vec centre = start + way * first;
    const Vec contact = nearest_on(*touched, centre);
    Vec normal = centre - contact;
    if (!(dot(normal, normal) > 0)) normal = cross((*touched)[1] - (*touched)[0], (*touched)[2] - (*touched)[0]);
    normal = normal * (1 / std::sqrt(dot(normal, normal)));
    return {SweepHit{first * voxel, world(centre), world(contact), {normal.x, normal.y, normal.z}}, answer.source()};
}

// The same ground, and nothing prepared for the host.
std::shared_ptr<const Source> Engine::bare_source() const {
    auto source = std::make_shared<Source>(*source_);
    source->prepare = nullptr;
    return source;
}

// Nearest first. All that the sphere's box passes; those beside its way are told apart later.
std::vector<ChunkKey> Engine::chunks_along(const Vec& start, const Vec& way, double r, double reach) const {
    const auto range = [&](double at, double step) {
        const double end = at + step * reach;
        return std::pair(std::floor((std::min(at, end) - r - kSlack) / width()),
                         std::floor((std::max(at, end) + r + kSlack) / width()));
    };
    const auto [x0, x1] = range(start.x, way.x);
    const auto [y0, y1] = range(start.y, way.y);
    const auto [z0, z1] = range(start.z, way.z);
    std::vector<std::pair<double, ChunkKey>> found;
    // Along a slanted way most of the box is far from it: rows are cut to what is near before they are counted.
    const double rows = (y1 - y0 + 1) * (z1 - z0 + 1) * (x1 - x0 + 1);
    constexpr double kMostLooked = 1e6;
    const auto refuse = [&](double chunks) {
        throw std::invalid_argument("the sweep passes " + std::to_string(static_cast<std::uint64_t>(chunks)) +
                                    " chunks; at most " + std::to_string(CollisionWorld::kMostSweptChunks) +
                                    " are allowed");
    };
    if (rows > kMostLooked) refuse(rows);
    for (double z = z0; z <= z1; ++z) {
        for (double y = y0; y <= y1; ++y) {
            for (double x = x0; x <= x1; ++x) {
                const ChunkKey key{0, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
                                   static_cast<std::int32_t>(z)};
                const PlaceBox box = box_of(key);
                const auto part = part_within(start, way, reach, to_vec(box.low), to_vec(box.high), r + kSlack);
                if (part) found.emplace_back(part->first, key);
            }
        }
    }
    if (found.size() > CollisionWorld::kMostSweptChunks) refuse(static_cast<double>(found.size()));
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<ChunkKey> keys;
    keys.reserve(found.size());
    for (const auto& [distance, key] : found) keys.push_back(key);
    return keys;
}

}  // namespace quarry::terrain::collision
