// Ground that is dug, undone, and the same in a second program.
#include <cstdio>
#include <memory>
#include <optional>

#include <quarry/terrain/chunk_mesh.hpp>
#include <quarry/terrain/edit_log.hpp>
#include <quarry/terrain/edit_world.hpp>
#include <quarry/terrain/edited_field.hpp>
#include <quarry/terrain/extract.hpp>
#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/raycast.hpp>

namespace terrain = quarry::terrain;

int main() {
    // [begin docs]
    const auto hills = std::make_shared<terrain::NoiseField>(terrain::NoiseOptions{.seed = 7});
    terrain::EditWorld world(hills);
    const double before = terrain::highest_ground_below(*world.field(), 4, 100, 0).value();

    // A tunnel. All edits with one stroke are undone together.
    for (int i = 0; i < 30; ++i) {
        world.apply({.kind = terrain::EditKind::dig, .stroke = 1, .at = {4 + 0.5 * i, before - 2, 0}, .radius = 4});
    }
    const std::shared_ptr<const terrain::EditedField> ground = world.field();
    const double dug = terrain::highest_ground_below(*ground, 4, 100, 0).value();
    const terrain::ChunkMesh chunk = terrain::extract(*ground, {.lod = 0, .x = 0, .y = 0, .z = 0});

    // Undo is an edit like others.
    if (const std::optional<terrain::Edit> undo = world.undo_of(0)) world.apply(*undo);
    const double after = terrain::highest_ground_below(*world.field(), 4, 100, 0).value();
    std::printf("ground at %.2f, dug to %.2f, then at %.2f\n", before, dug, after);
    // [end docs]
    if (chunk.cells != 32 || !(dug < before - 1) || after != before) return 1;

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
    receiver.feed(sender.take());  // what came over the connection, in parts of any size
    while (const std::optional<terrain::NumberedEdit> next = receiver.next()) elsewhere.apply(next->edit);
    std::printf("both are %s\n", here.content_hash() == elsewhere.content_hash() ? "equal" : "different");
    // [end log]
    return here.content_hash() == elsewhere.content_hash() ? 0 : 1;
}
