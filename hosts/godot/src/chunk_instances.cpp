#include "chunk_instances.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "engine_calls.hpp"

namespace quarry::godot {
namespace {

// That are freed in a frame, whatever the budget: more than begin to go for long.
constexpr std::size_t kFewestFreed = 4;

constexpr GDExtensionBool kYes = 1;
constexpr GDExtensionBool kNo = 0;

}  // namespace

ChunkInstances::~ChunkInstances() {
    for (const Place& place : places_) {
        if (place.drawn) free(*place.drawn);
    }
    for (const Fading& fading : fading_) {
        if (!fading.slot) free(fading.drawn);
        fades_.leave(fading.fade);
    }
    spare_.for_each([this](const Drawn& drawn) { free(drawn); });
}

void ChunkInstances::free(const Drawn& drawn) const {
    engine().free_rid(engine().server, drawn.instance);
    engine().free_rid(engine().server, drawn.mesh);
}

void ChunkInstances::take(terrain::StreamEvent& event) {
    using Kind = terrain::StreamEvent::Kind;
    switch (event.kind) {
        case Kind::upload:
            upload(event);
            break;
        case Kind::release:
            release(event.id);
            break;
        case Kind::show:
        case Kind::hide:
            for (const terrain::ChunkId id : event.chunks) show(id, event.kind == Kind::show, event.fade > 0);
            break;
        case Kind::changed:
            end_fades_within(event.box);
            break;
    }
}

void ChunkInstances::begin_frame(Clock::time_point now, double fade_seconds) {
    spare_.begin_frame();
    fades_.begin_frame(now, fade_seconds);
    // From the end: the last one takes the place of one that has ended.
    for (std::size_t i = fading_.size(); i-- > 0;) {
        if (fades_.is_over(fading_[i].fade)) end_fade(i);
    }
}

void ChunkInstances::end_frame(Clock::time_point until) {
    for (std::size_t freed = 0; spare_.are_too_many(); ++freed) {
        if (freed >= kFewestFreed && Clock::now() >= until) return;
        if (const std::optional<Drawn> oldest = spare_.take_oldest(true)) free(*oldest);
    }
}

void ChunkInstances::end_fades() {
    while (!fading_.empty()) end_fade(fading_.size() - 1);
}

// Ground that has changed is not mixed with what it was.
void ChunkInstances::end_fades_within(const terrain::Box& box) {
    for (std::size_t i = fading_.size(); i-- > 0;) {
        const Spot& spot = fading_[i].spot;
        const double size =
            spot.frame.voxel_size * static_cast<double>(std::int64_t{1} << spot.key.lod) * spot.frame.cells;
        const auto overlaps = [&](std::int32_t at, double low, double high) {
            return at * size <= high && (at + 1.0) * size >= low;
        };
        if (overlaps(spot.key.x, box.low.x, box.high.x) && overlaps(spot.key.y, box.low.y, box.high.y) &&
            overlaps(spot.key.z, box.low.z, box.high.z)) {
            end_fade(i);
        }
    }
}

void ChunkInstances::begin_fade(std::uint32_t slot, FadeWay way) {
    Place& place = places_[slot];
    const std::size_t fade = fades_.join(place.spot.key.lod, way);
    place.fading = fading_.size();
    fading_.push_back({*place.drawn, place.spot, fade, way, slot});
    engine().set_material(engine().server, place.drawn->instance, fades_.material(fade));
}

void ChunkInstances::end_fade(std::size_t which) {
    const Fading ended = fading_[which];
    if (which + 1 != fading_.size()) {
        fading_[which] = fading_.back();
        if (fading_[which].slot) places_[*fading_[which].slot].fading = which;
    }
    fading_.pop_back();
    if (ended.way == FadeWay::going) draw(ended.drawn, false);
    engine().set_material(engine().server, ended.drawn.instance, shading_.material(ended.spot.key.lod));
    fades_.leave(ended.fade);
    if (ended.slot) {
        places_[*ended.slot].fading = kNotFading;
    } else {
        spare_.give(ended.drawn);
    }
}

void ChunkInstances::draw(const Drawn& drawn, bool is_drawn) const {
    engine().instance_set_visible(engine().server, drawn.instance, is_drawn && visible_ ? kYes : kNo);
}

Drawn ChunkInstances::new_drawn() const {
    const EngineCalls& calls = engine();
    const Drawn drawn{calls.mesh_create.get<Rid>(calls.server), calls.instance_create.get<Rid>(calls.server), {}};
    calls.instance_set_visible(calls.server, drawn.instance, kNo);
    calls.instance_set_base(calls.server, drawn.instance, drawn.mesh);
    calls.instance_set_scenario(calls.server, drawn.instance, scenario_);
    return drawn;
}

// The buffers are of the same sizes, so nothing is made and nothing freed.
void ChunkInstances::overwrite(const Drawn& drawn, const Surface& surface) const {
    const EngineCalls& calls = engine();
    constexpr std::int64_t kFirst = 0;  // the surface, and the place in it
    const auto write = [&](const Method& region, const Bytes& bytes) {
        const std::array<GDExtensionConstTypePtr, 4> arguments{&drawn.mesh, &kFirst, &kFirst, bytes.ptr()};
        api.method_ptrcall(region.bind(), calls.server, arguments.data(), nullptr);
    };
    write(calls.update_vertices, surface.vertex_data);
    write(calls.update_indices, surface.index_data);
    if (surface.weights) write(calls.update_attributes, *surface.weights);
}

// A mesh with that surface, in buffers of a chunk that has gone where there are some.
Drawn ChunkInstances::hand_over(const Surface& surface) {
    const EngineCalls& calls = engine();
    if (calls.can_overwrite()) {
        if (const std::optional<Drawn> spare = spare_.take(surface.room)) {
            overwrite(*spare, surface);
            ++overwritten_;
            return *spare;
        }
    }
    Drawn drawn;
    if (const std::optional<Drawn> spare = spare_.take_oldest(!calls.can_overwrite())) {
        drawn = *spare;
        calls.mesh_clear(calls.server, drawn.mesh);
    } else {
        drawn = new_drawn();
    }
    const std::array<GDExtensionConstTypePtr, 2> arguments{&drawn.mesh, surface.data.ptr()};
    api.method_ptrcall(calls.mesh_add_surface.bind(), calls.server, arguments.data(), nullptr);
    drawn.room = surface.room;
    return drawn;
}

void ChunkInstances::upload(terrain::StreamEvent& event) {
    const EngineCalls& calls = engine();
    if (event.id.slot >= places_.size()) places_.resize(event.id.slot + std::size_t{1});
    Place& place = places_[event.id.slot];
    const auto surface = std::static_pointer_cast<Surface>(event.prepared);
    place.drawn = hand_over(*surface);
    place.spot = {event.key, surface->frame};
    place.vertices = surface->vertices;
    place.is_shown = false;
    place.painted = terrain::ChunkState::retired;
    // The surface may be that of a chunk before.
    calls.instance_set_custom_aabb(calls.server, place.drawn->instance, surface->box);
    calls.set_material(calls.server, place.drawn->instance, shading_.material(event.key.lod));
    calls.instance_set_transform(calls.server, place.drawn->instance, transform_of(place.spot));
    ++held_;
    vertices_ += place.vertices;
}

void ChunkInstances::show(terrain::ChunkId id, bool shown, bool fades) {
    Place& place = places_[id.slot];
    if (!place.drawn || place.is_shown == shown) return;
    if (place.fading != kNotFading) end_fade(place.fading);
    place.is_shown = shown;
    shown_ = shown ? shown_ + 1 : shown_ - 1;
    const bool begins = fades && fades_.is_on();
    if (begins) begin_fade(id.slot, shown ? FadeWay::coming : FadeWay::going);
    if (shown || !begins) draw(*place.drawn, shown);
    if (listener_) listener_(place.spot.key, shown);
}

void ChunkInstances::release(terrain::ChunkId id) {
    Place& place = places_[id.slot];
    if (!place.drawn) return;
    show(id, false, false);
    const Drawn drawn = *place.drawn;
    place.drawn.reset();
    --held_;
    vertices_ -= place.vertices;
    if (place.fading == kNotFading) return spare_.give(drawn);
    fading_[place.fading].slot.reset();
    place.fading = kNotFading;
}

bool ChunkInstances::lose(const terrain::ChunkKey& key, bool is_lost) {
    for (const Place& place : places_) {
        if (!place.drawn || !place.is_shown || place.spot.key != key) continue;
        draw(*place.drawn, !is_lost);
        return true;
    }
    return false;
}

bool ChunkInstances::shows(terrain::ChunkId id, const terrain::ChunkKey& key) const noexcept {
    return id.slot < places_.size() && places_[id.slot].is_shown && places_[id.slot].spot.key == key;
}

void ChunkInstances::set_scenario(Rid scenario) {
    scenario_ = scenario;
    end_fades();
    for (const Place& place : places_) {
        if (place.drawn) engine().instance_set_scenario(engine().server, place.drawn->instance, scenario_);
    }
    spare_.for_each(
        [this](const Drawn& drawn) { engine().instance_set_scenario(engine().server, drawn.instance, scenario_); });
}

void ChunkInstances::set_transform(const Transform& transform) {
    transform_ = transform;
    for (const Place& place : places_) {
        if (place.drawn) {
            engine().instance_set_transform(engine().server, place.drawn->instance, transform_of(place.spot));
        }
    }
    for (const Fading& fading : fading_) {
        engine().instance_set_transform(engine().server, fading.drawn.instance, transform_of(fading.spot));
    }
}

void ChunkInstances::renew_materials() {
    if (!shading_.can_fade()) end_fades();
    for (Place& place : places_) {
        if (!place.drawn || place.fading != kNotFading) continue;
        engine().set_material(engine().server, place.drawn->instance, shading_.material(place.spot.key.lod));
        place.painted = terrain::ChunkState::retired;
    }
}

void ChunkInstances::paint(std::span<const terrain::ChunkState> states) {
    for (std::size_t slot = 0; slot < std::min(states.size(), places_.size()); ++slot) {
        Place& place = places_[slot];
        if (!place.drawn || !place.is_shown || place.fading != kNotFading || place.painted == states[slot]) continue;
        engine().set_material(engine().server, place.drawn->instance, shading_.state_material(states[slot]));
        place.painted = states[slot];
    }
}

void ChunkInstances::set_visible(bool visible) {
    if (visible_ == visible) return;
    visible_ = visible;
    end_fades();
    for (const Place& place : places_) {
        if (place.drawn && place.is_shown) draw(*place.drawn, true);
    }
}

// The node's transform times that of the chunk: a scale and a corner.
Transform ChunkInstances::transform_of(const Spot& spot) const {
    const double scale = spot.frame.voxel_size * static_cast<double>(std::int64_t{1} << spot.key.lod);
    const double size = scale * spot.frame.cells;
    const double x = spot.key.x * size;
    const double y = spot.key.y * size;
    const double z = spot.key.z * size;
    const auto row = [&](const Vec3& of, float origin) {
        return static_cast<float>(of.x * x + of.y * y + of.z * z + origin);
    };
    const auto scaled = [&](const Vec3& of) {
        const auto by = static_cast<float>(scale);
        return Vec3{of.x * by, of.y * by, of.z * by};
    };
    const auto& rows = transform_.rows;
    const Vec3& origin = transform_.origin;
    return {{scaled(rows[0]), scaled(rows[1]), scaled(rows[2])},
            {row(rows[0], origin.x), row(rows[1], origin.y), row(rows[2], origin.z)}};
}

}  // namespace quarry::godot
