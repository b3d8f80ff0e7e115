// Ground that is dug while it is shown, and a copy that gets the same edits.
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>

#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/edit_log.hpp>
#include <quarry/terrain/edit_world.hpp>
#include <quarry/terrain/edited_field.hpp>
#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/raycast.hpp>
#include <quarry/terrain/streamer.hpp>

namespace terrain = quarry::terrain;
using namespace std::chrono_literals;

int main() {
    quarry::Pool pool;
    std::size_t changes = 0;
    const auto screen = [&](terrain::StreamEvent& event) {
        changes += event.kind == terrain::StreamEvent::Kind::changed ? 1 : 0;
    };
    // [begin docs]
    const auto hills = std::make_shared<terrain::NoiseField>(terrain::NoiseOptions{.seed = 7});
    terrain::EditWorld world(hills);
    terrain::Streamer streamer(pool, world.field(), {.radius = 256, .lod_distance = 64});

    const double before = terrain::highest_ground_below(*world.field(), 4, 100, 0).value();
    const terrain::Viewer viewer{.position = {0, 20, 0}, .direction = {1, 0, 0}};
    for (int frame = 0; frame < 60; ++frame) {
        if (frame >= 30) {
            // A tunnel, a bit longer in each frame. All of it is one stroke.
            const terrain::EditReport report = world.apply({.kind = terrain::EditKind::dig,
                                                            .stroke = 1,
                                                            .at = {4 + 0.5 * (frame - 30), before - 2, 0},
                                                            .radius = 4});
            if (report.any()) streamer.edit(world.field(), report.changed);
        }
        streamer.update(viewer);
        streamer.inbox().deliver(2ms, screen);
    }
    const double dug = terrain::highest_ground_below(*world.field(), 4, 100, 0).value();

    // Undo is an edit like any other.
    if (const std::optional<terrain::Edit> undo = world.undo_of(0)) {
        const terrain::EditReport report = world.apply(*undo);
        streamer.edit(world.field(), report.changed);
    }
    const double after = terrain::highest_ground_below(*world.field(), 4, 100, 0).value();
    std::printf("ground at %.2f, dug to %.2f, then at %.2f\n", before, dug, after);
    // [end docs]
    while (!streamer.at_rest()) {
        streamer.update(viewer);
        streamer.inbox().deliver(2ms, screen);
    }
    if (changes == 0 || dug > before - 5 || after != before) return 1;

    // [begin log]
    const terrain::EditLogWorld which{.undo_bytes = world.options().undo_bytes, .ground = 7};
    terrain::EditLog sender(which);
    terrain::EditLog receiver(which);
    terrain::EditWorld elsewhere(hills);
    terrain::EditWorld here(hills);
    for (int i = 0; i < 10; ++i) {
        const terrain::Edit edit{.kind = terrain::EditKind::add, .at = {2.0 * i, 5, 0}, .radius = 3};
        here.apply(edit);
        sender.write(edit);
    }
    receiver.feed(sender.take());  // bytes from the connection, in parts of any size
    while (const std::optional<terrain::NumberedEdit> next = receiver.next()) elsewhere.apply(next->edit);
    std::printf("both are %s\n", here.content_hash() == elsewhere.content_hash() ? "equal" : "different");
    // [end log]
    return here.content_hash() == elsewhere.content_hash() ? 0 : 1;
}
