// A bridge is cut at both ends. The part that hangs in the air is found, meshed and removed.
#include <cstdio>
#include <memory>
#include <vector>

#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/edit_world.hpp>
#include <quarry/terrain/edited_field.hpp>
#include <quarry/terrain/extract.hpp>
#include <quarry/terrain/loose_parts.hpp>
#include <quarry/terrain/shape_fields.hpp>

namespace terrain = quarry::terrain;
using terrain::BrushShape;
using terrain::EditKind;

int main() {
    quarry::Pool pool;
    terrain::EditWorld world(std::make_shared<terrain::PlaneField>(terrain::Position{}, terrain::Position{0, 1, 0}));
    for (const double x : {-12.0, 12.0}) {
        world.apply({.kind = EditKind::add, .shape = BrushShape::box, .at = {x, 6, 0}, .extent = {2, 8, 2}});
    }
    world.apply({.kind = EditKind::add, .shape = BrushShape::box, .at = {0, 12, 0}, .extent = {12, 1.5F, 1.5F}});

    // [begin docs]
    std::size_t found = 0;
    std::size_t meshes = 0;
    terrain::LoosePartFinder finder(pool);
    for (const double x : {-8.0, 8.0}) {
        const terrain::EditReport report = world.apply({.kind = EditKind::dig, .at = {x, 12, 0}, .radius = 3});
        finder.look(world.field(), report.changed);
    }
    while (finder.is_busy()) {  // a host checks once per frame
        for (const terrain::LoosePart& part : finder.take()) {
            const std::vector<terrain::Mesh> falls = mesh_loose_part(part, {});
            world.apply(part.removal(0, 2));
            std::printf("%llu samples from x = %.0f to %.0f\n", static_cast<unsigned long long>(part.samples),
                        part.box.low.x, part.box.high.x);
            meshes += falls.size();
            ++found;
        }
    }
    // [end docs]
    return found == 1 && meshes > 0 ? 0 : 1;
}
