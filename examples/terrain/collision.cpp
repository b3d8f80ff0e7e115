// Ground for a physics engine, around a body, while it is dug.
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/collision_world.hpp>
#include <quarry/terrain/edit_world.hpp>
#include <quarry/terrain/edited_field.hpp>
#include <quarry/terrain/noise_field.hpp>

namespace terrain = quarry::terrain;
using namespace std::chrono_literals;

int main() {
    quarry::Pool pool;
    // [begin docs]
    terrain::EditWorld world(std::make_shared<terrain::NoiseField>(terrain::NoiseOptions{.seed = 7}));
    terrain::CollisionWorld ground(pool, world.field(), {.radius = 48});

    // Stands in for a physics engine: a shape for each number.
    std::map<std::uint32_t, std::size_t> shapes;
    const auto physics = [&](terrain::CollisionEvent& event) {
        if (event.kind == terrain::CollisionEvent::Kind::removed) {
            shapes.erase(event.id);
        } else {
            shapes[event.id] =
                event.patch->triangles();  // a real one makes a shape of the patch's positions and indices
        }
    };

    terrain::Position body{4, 30, 0};
    for (int frame = 0; frame < 120; ++frame) {
        if (frame == 60) {
            const terrain::EditReport report = world.apply({.kind = terrain::EditKind::dig, .at = body, .radius = 3});
            if (report.any()) ground.edit(world.field(), report.changed);
        }
        ground.update({&body, 1});
        ground.inbox().deliver(1ms, physics);

        // A ball of radius 0.5 that falls, at most half a unit per frame.
        const terrain::SweepAnswer fall = ground.sweep(body, {0, -1, 0}, 0.5, 0.5);
        body.y -= fall.hit ? fall.hit->distance : 0.5;
        if (frame == 59) std::printf("the ball lies at %.1f, on %zu shapes\n", body.y, shapes.size());
    }
    const terrain::GroundAnswer below = ground.highest_ground_below(body.x, body.y, body.z);
    std::printf("then at %.1f, %.2f above the ground, which is known from %s\n", body.y, body.y - *below.height,
                below.source == terrain::AnswerSource::patches ? "patches" : "the field");
    // [end docs]
    return body.y - *below.height < 1 && !shapes.empty() ? 0 : 1;
}
