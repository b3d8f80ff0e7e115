#include "quarry/terrain/world_file.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "c/edits.hpp"
#include "c/error.hpp"
#include "c/structs.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/world_file_tools.hpp"

using quarry::terrain::Box;
using quarry::terrain::EditWorld;
using quarry::terrain::Position;
using quarry::terrain::WorldFile;
using quarry::terrain::WorldFileOptions;

namespace {

// Only its threads for I/O have work.
quarry::PoolOptions pool_for_a_file() {
    quarry::PoolOptions options;
    options.workers = 1;
    options.io_threads = 1;
    return options;
}

}  // namespace

struct quarry_world_file {
    quarry_world_file(std::shared_ptr<EditWorld> edits, const char* path, const WorldFileOptions& options)
        : world(std::move(edits)), pool(pool_for_a_file()), file(pool, *world, path, options) {}

    std::shared_ptr<EditWorld> world;
    quarry::Pool pool;
    WorldFile file;
    std::vector<quarry_box> appeared;
    std::string problem;
};

namespace {

using quarry::c::failed;
using quarry::c::give;
using quarry::c::guarded;
using quarry::c::known;
using quarry::c::made;
using quarry::c::need_all;

quarry_box box_to_c(const Box& box) {
    return {box.low.x, box.low.y, box.low.z, box.high.x, box.high.y, box.high.z};
}

WorldFileOptions options_from_c(const quarry_world_file_options* given) {
    quarry_world_file_options all{};
    quarry_world_file_options_init(&all);
    if (given != nullptr) all = known(*given, "quarry_world_file_options", all);
    if (all.batch_ms < 0) throw std::invalid_argument("quarry_world_file_options.batch_ms must be 0 to 60000");
    WorldFileOptions options;
    options.ground = all.ground;
    options.batch = std::chrono::milliseconds(all.batch_ms);
    options.read_only = all.read_only != 0;
    return options;
}

}  // namespace

void quarry_world_file_options_init(quarry_world_file_options* options) {
    if (options == nullptr) return;
    const WorldFileOptions defaults;
    *options = {};
    options->size = sizeof *options;
    options->ground = defaults.ground;
    options->batch_ms = static_cast<int>(defaults.batch.count());
    options->read_only = defaults.read_only ? 1 : 0;
}

quarry_world_file* quarry_world_file_open(quarry_edits* edits, const char* path,
                                          const quarry_world_file_options* options) {
    return made([&] {
        need_all(edits, path);
        return new quarry_world_file(edits->world, path, options_from_c(options));
    });
}

void quarry_world_file_close(quarry_world_file* file) {
    delete file;
}

quarry_code quarry_world_file_update(quarry_world_file* file, const double* places, size_t count,
                                     const quarry_box** boxes, size_t* found) {
    return guarded([&] {
        need_all(file);
        if (count != 0) need_all(places);
        std::vector<Position> near;
        for (std::size_t i = 0; i < count; ++i) near.push_back({places[3 * i], places[3 * i + 1], places[3 * i + 2]});
        const std::span<const Box> appeared = file->file.update(near);
        file->appeared.resize(appeared.size());
        std::transform(appeared.begin(), appeared.end(), file->appeared.begin(), box_to_c);
        if (boxes != nullptr) *boxes = file->appeared.data();
        if (found != nullptr) *found = file->appeared.size();
        return QUARRY_OK;
    });
}

quarry_code quarry_world_file_load(quarry_world_file* file, const quarry_box* box) {
    return guarded([&] {
        need_all(file);
        if (box == nullptr) {
            file->file.load_all();
        } else {
            file->file.load({{box->low_x, box->low_y, box->low_z}, {box->high_x, box->high_y, box->high_z}});
        }
        return QUARRY_OK;
    });
}

quarry_code quarry_world_file_save(quarry_world_file* file) {
    return guarded([&] {
        need_all(file);
        if (file->file.save()) return QUARRY_OK;
        return failed(QUARRY_FAILED, file->file.stats().problem.c_str());
    });
}

quarry_code quarry_world_file_get_stats(const quarry_world_file* file, quarry_world_file_stats* stats) {
    return guarded([&] {
        need_all(file, stats);
        const auto now = file->file.stats();
        quarry_world_file_stats all{};
        all.edits = now.edits;
        all.saved = now.saved;
        all.batches = now.batches;
        all.failures = now.failures;
        all.loaded_bricks = now.loaded_bricks;
        all.is_loaded = now.is_loaded ? 1 : 0;
        all.is_damaged = now.is_damaged ? 1 : 0;
        give(all, stats, "quarry_world_file_stats");
        return QUARRY_OK;
    });
}

const char* quarry_world_file_problem(quarry_world_file* file) {
    guarded([&] {
        need_all(file);
        file->problem = file->file.stats().problem;
        return QUARRY_OK;
    });
    return file == nullptr ? "" : file->problem.c_str();
}

quarry_code quarry_world_file_get_info(const char* path, quarry_world_file_info* info) {
    return guarded([&] {
        need_all(path, info);
        known(*info, "quarry_world_file_info");
        const auto said = quarry::terrain::world_file_info(path);
        quarry_world_file_info all{};
        all.format = said.format;
        all.voxel_size = said.lattice.voxel_size;
        all.ground = said.ground;
        all.edits = said.edits;
        all.bricks = said.bricks;
        all.paint_bricks = said.paint_bricks;
        all.brick_bytes = said.brick_bytes;
        all.file_bytes = said.file_bytes;
        give(all, info, "quarry_world_file_info");
        return QUARRY_OK;
    });
}

quarry_code quarry_world_file_check(const char* path, char* text, size_t capacity, size_t* length, uint64_t* bricks) {
    return guarded([&] {
        need_all(path, length);
        if (capacity != 0) need_all(text);
        const auto found = quarry::terrain::check_world_file(path);
        std::string lines;
        for (const std::string& each : found.problems) lines += (lines.empty() ? "" : "\n") + each;
        *length = lines.size();
        if (bricks != nullptr) *bricks = found.bricks;
        if (capacity != 0) {
            const std::size_t fits = std::min(capacity - 1, lines.size());
            std::copy_n(lines.data(), fits, text);
            text[fits] = 0;
        }
        return QUARRY_OK;
    });
}
