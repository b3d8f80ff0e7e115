#include "c/terrain.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "c/error.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/chunk_mesh.hpp"
#include "quarry/terrain/description.hpp"
#include "quarry/terrain/export.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/materials.hpp"
#include "quarry/terrain/mesh.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "showcase/showcase.hpp"

using namespace quarry::terrain;  // NOLINT(google-build-using-namespace): the file is the C face of it

struct quarry_chunk {
    ChunkMesh mesh;
};
struct quarry_mesh {
    explicit quarry_mesh(Mesh from) : mesh(std::move(from)) {}
    Mesh mesh;
};

namespace {

using quarry::c::guarded;
using quarry::c::made;
using quarry::c::need_all;

}  // namespace

quarry_field* quarry_field_from_json(const char* json, const char* folder) {
    return made([&] {
        need_all(json);
        Described world = parse_description(json, folder == nullptr ? "." : folder);
        return new quarry_field{std::move(world.field), std::move(world.materials)};
    });
}

quarry_field* quarry_field_noise(uint64_t seed, int octaves, double frequency, double amplitude) {
    return made([&] {
        NoiseOptions options;
        options.seed = seed;
        options.octaves = octaves;
        options.frequency = frequency;
        options.amplitude = amplitude;
        return new quarry_field{std::make_shared<NoiseField>(options), nullptr};
    });
}

quarry_field* quarry_field_showcase(uint64_t seed) {
    return made([&] { return new quarry_field{showcase_field(seed), showcase_materials(seed)}; });
}

void quarry_field_free(quarry_field* field) {
    delete field;
}

quarry_code quarry_field_densities(const quarry_field* field, const double* places, size_t count, float* out) {
    return guarded([&] {
        need_all(field);
        if (count != 0) need_all(places, out);
        std::vector<Position> points(count);
        for (std::size_t i = 0; i < count; ++i) points[i] = {places[3 * i], places[3 * i + 1], places[3 * i + 2]};
        field->field->densities(points, {out, count});
        return QUARRY_OK;
    });
}

quarry_chunk* quarry_extract(const quarry_field* field, quarry_chunk_key key, int cells, double voxel_size) {
    return made([&] {
        need_all(field);
        ExtractOptions options;
        options.cells = cells;
        options.lattice.voxel_size = voxel_size;
        options.materials = field->materials.get();
        return new quarry_chunk{extract(*field->field, {key.lod, key.x, key.y, key.z}, options)};
    });
}

void quarry_chunk_free(quarry_chunk* chunk) {
    delete chunk;
}

int quarry_chunk_content(const quarry_chunk* chunk) {
    return chunk == nullptr ? 0 : static_cast<int>(chunk->mesh.content);
}

quarry_mesh* quarry_bake(const quarry_chunk* chunk, uint32_t mask) {
    return made([&] {
        need_all(chunk);
        return new quarry_mesh{bake(chunk->mesh, mask)};
    });
}

quarry_code quarry_mesh_chunks(const quarry_field* field, const quarry_chunk_key* keys, const uint32_t* masks,
                               size_t count, int cells, double voxel_size, int workers, quarry_mesh** meshes) {
    return guarded([&] {
        need_all(field);
        if (count != 0) need_all(keys, meshes);
        if (count != 0) std::fill_n(meshes, count, nullptr);
        std::vector<std::unique_ptr<quarry_mesh>> made_meshes(count);
        ExtractOptions options;
        options.cells = cells;
        options.lattice.voxel_size = voxel_size;
        options.materials = field->materials.get();
        quarry::PoolOptions pool_options;
        pool_options.workers = workers;
        quarry::Pool pool(pool_options);
        quarry::parallel_for(pool, std::size_t{0}, count, [&](std::size_t i) {
            const ChunkMesh chunk = extract(*field->field, {keys[i].lod, keys[i].x, keys[i].y, keys[i].z}, options);
            if (chunk.content != ChunkContent::surface) return;
            made_meshes[i] = std::make_unique<quarry_mesh>(bake(chunk, masks == nullptr ? 0 : masks[i]));
        });
        for (std::size_t i = 0; i < count; ++i) meshes[i] = made_meshes[i].release();
        return QUARRY_OK;
    });
}

void quarry_mesh_free(quarry_mesh* mesh) {
    delete mesh;
}

quarry_code quarry_mesh_get(const quarry_mesh* mesh, quarry_mesh_view* view) {
    return guarded([&] {
        need_all(mesh, view);
        const Mesh& from = mesh->mesh;
        *view = {};
        view->key = {from.key.lod, from.key.x, from.key.y, from.key.z};
        view->vertices = from.positions.size();
        static_assert(sizeof(Vector3) == 3 * sizeof(float) && sizeof(MaterialWeights) == 4);
        view->positions = reinterpret_cast<const float*>(from.positions.data());
        view->normals = reinterpret_cast<const float*>(from.normals.data());
        if (!from.materials.empty()) view->materials = reinterpret_cast<const uint8_t*>(from.materials.data());
        view->indices = from.indices.size();
        if (from.indices.empty()) return QUARRY_OK;
        if (from.indices.is_short()) {
            view->short_indices = from.indices.short_indices().data();
        } else {
            view->long_indices = from.indices.long_indices().data();
        }
        return QUARRY_OK;
    });
}

quarry_code quarry_export(const quarry_mesh* const* meshes, size_t count, int format, int cells, double voxel_size,
                          int welded, const char* path) {
    return guarded([&] {
        need_all(path);
        if (count != 0) need_all(meshes);
        const ExportFormat wanted = info_of(static_cast<ExportFormat>(format)).format;
        std::vector<Mesh> all;
        for (std::size_t i = 0; i < count; ++i) {
            need_all(meshes[i]);
            all.push_back(meshes[i]->mesh);
        }
        ExportOptions options;
        options.cells = cells;
        options.lattice.voxel_size = voxel_size;
        options.welded = welded != 0;
        const std::string temporary = std::string(path) + ".part";
        try {
            std::ofstream out(temporary, std::ios::binary);
            write(wanted, out, all, options);
            out.close();
            if (!out || std::rename(temporary.c_str(), path) != 0) {
                throw quarry::Error(std::string("cannot write ") + path);
            }
        } catch (...) {
            std::remove(temporary.c_str());
            throw;
        }
        return QUARRY_OK;
    });
}
