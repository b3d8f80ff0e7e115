#include "chunk_instances.hpp"

#include <memory>

#include "engine_calls.hpp"

namespace quarry::godot {
namespace {

// Pairs of mesh and instance that are kept for later.
constexpr std::size_t kMostSpare = 1024;

constexpr GDExtensionBool kYes = 1;
constexpr GDExtensionBool kNo = 0;

}  // namespace

ChunkInstances::~ChunkInstances() {
    for (const Place& place : places_) {
        if (place.drawn) free(*place.drawn);
    }
    for (const Drawn& drawn : spare_) free(drawn);
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
            for (const terrain::ChunkId id : event.chunks) show(id, event.kind == Kind::show);
            break;
        case Kind::changed:
            break;
    }
}

ChunkInstances::Drawn ChunkInstances::take_drawn() {
    if (!spare_.empty()) {
        const Drawn drawn = spare_.back();
        spare_.pop_back();
        return drawn;
    }
    const EngineCalls& calls = engine();
    const Drawn drawn{calls.mesh_create.get<Rid>(calls.server), calls.instance_create.get<Rid>(calls.server)};
    calls.instance_set_visible(calls.server, drawn.instance, kNo);
    calls.instance_set_base(calls.server, drawn.instance, drawn.mesh);
    calls.instance_set_scenario(calls.server, drawn.instance, scenario_);
    return drawn;
}

void ChunkInstances::upload(terrain::StreamEvent& event) {
    const EngineCalls& calls = engine();
    if (event.id.slot >= places_.size()) places_.resize(event.id.slot + std::size_t{1});
    Place& place = places_[event.id.slot];
    const auto surface = std::static_pointer_cast<Surface>(event.prepared);
    place.drawn = take_drawn();
    place.key = event.key;
    place.frame = surface->frame;
    place.vertices = surface->vertices;
    place.is_shown = false;
    const void* const data = surface->data.ptr();
    const std::array<GDExtensionConstTypePtr, 2> arguments{&place.drawn->mesh, data};
    api.method_ptrcall(calls.mesh_add_surface.bind(), calls.server, arguments.data(), nullptr);
    calls.set_material(calls.server, place.drawn->instance, shading_.material(event.key.lod));
    calls.instance_set_transform(calls.server, place.drawn->instance, transform_of(place));
    ++held_;
    vertices_ += place.vertices;
}

void ChunkInstances::show(terrain::ChunkId id, bool shown) {
    Place& place = places_[id.slot];
    if (!place.drawn || place.is_shown == shown) return;
    place.is_shown = shown;
    shown_ = shown ? shown_ + 1 : shown_ - 1;
    if (visible_) engine().instance_set_visible(engine().server, place.drawn->instance, shown ? kYes : kNo);
    if (listener_) listener_(place.key, shown);
}

void ChunkInstances::release(terrain::ChunkId id) {
    Place& place = places_[id.slot];
    if (!place.drawn) return;
    show(id, false);
    const Drawn drawn = *place.drawn;
    place.drawn.reset();
    --held_;
    vertices_ -= place.vertices;
    if (spare_.size() >= kMostSpare) return free(drawn);
    engine().mesh_clear(engine().server, drawn.mesh);
    spare_.push_back(drawn);
}

bool ChunkInstances::shows(terrain::ChunkId id, const terrain::ChunkKey& key) const noexcept {
    return id.slot < places_.size() && places_[id.slot].is_shown && places_[id.slot].key == key;
}

void ChunkInstances::set_scenario(Rid scenario) {
    scenario_ = scenario;
    for (const Place& place : places_) {
        if (place.drawn) engine().instance_set_scenario(engine().server, place.drawn->instance, scenario_);
    }
    for (const Drawn& drawn : spare_) engine().instance_set_scenario(engine().server, drawn.instance, scenario_);
}

void ChunkInstances::set_transform(const Transform& transform) {
    transform_ = transform;
    for (const Place& place : places_) {
        if (place.drawn) {
            engine().instance_set_transform(engine().server, place.drawn->instance, transform_of(place));
        }
    }
}

void ChunkInstances::renew_materials() {
    for (const Place& place : places_) {
        if (!place.drawn) continue;
        engine().set_material(engine().server, place.drawn->instance, shading_.material(place.key.lod));
    }
}

void ChunkInstances::set_visible(bool visible) {
    if (visible_ == visible) return;
    visible_ = visible;
    for (const Place& place : places_) {
        if (!place.drawn || !place.is_shown) continue;
        engine().instance_set_visible(engine().server, place.drawn->instance, visible ? kYes : kNo);
    }
}

// The node's transform times that of the chunk: a scale and a corner.
Transform ChunkInstances::transform_of(const Place& place) const {
    const double scale = place.frame.voxel_size * static_cast<double>(std::int64_t{1} << place.key.lod);
    const double size = scale * place.frame.cells;
    const double x = place.key.x * size;
    const double y = place.key.y * size;
    const double z = place.key.z * size;
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
