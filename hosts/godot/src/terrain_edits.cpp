#include "terrain_edits.hpp"

#include <utility>

#include "quarry/jobs/error.hpp"
#include "quarry/terrain/edited_field.hpp"
#include "quarry/terrain/edited_materials.hpp"

namespace quarry::godot {
namespace {

// FNV-1a: files keep it, so it must be the same everywhere.
std::uint64_t number_of(const std::string& text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    return hash;
}

}  // namespace

void TerrainEdits::set_ground(const DescribedWorld& world, const terrain::Lattice& lattice, const std::string& file,
                              const std::shared_ptr<Pool>& pool) {
    std::string name = world.name + '\n' + std::to_string(lattice.voxel_size) + '\n' + file;
    if (world_ != nullptr && name == name_) return;
    auto edited = std::make_unique<terrain::EditWorld>(world.field, terrain::EditWorldOptions{.lattice = lattice});
    std::unique_ptr<terrain::WorldFile> opened;
    if (!file.empty()) {
        // It stays open for the world that it belongs to, whose edits would be lost otherwise.
        if (file_ != nullptr && file == file_name_) throw Error(file + ": it keeps the edits of another world");
        opened = std::make_unique<terrain::WorldFile>(*pool, *edited, file,
                                                      terrain::WorldFileOptions{.ground = number_of(world.name)});
    }
    file_ = std::move(opened);  // the old one saves what is left, so its world and pool go after it
    file_name_ = file;
    world_ = std::move(edited);
    pool_ = pool;
    below_ = world;
    name_ = std::move(name);
}

DescribedWorld TerrainEdits::now() const {
    DescribedWorld world = below_;
    world.field = world_->field();
    if (below_.materials != nullptr) world.materials = world_->materials(below_.materials);
    return world;
}

terrain::EditReport TerrainEdits::apply(terrain::Edit edit) {
    edit.stroke = stroke_;
    return world_->apply(edit);
}

std::optional<terrain::EditReport> TerrainEdits::undo() {
    const std::optional<terrain::Edit> edit = world_->undo_of(0);
    if (!edit) return std::nullopt;
    begin_stroke();
    return world_->apply(*edit);
}

std::optional<terrain::EditReport> TerrainEdits::redo() {
    const std::optional<terrain::Edit> edit = world_->redo_of(0);
    if (!edit) return std::nullopt;
    begin_stroke();
    return world_->apply(*edit);
}

std::span<const terrain::Box> TerrainEdits::bring(const terrain::Position& viewer) {
    if (file_ == nullptr) return {};
    return file_->update({&viewer, 1});
}

std::optional<terrain::WorldFileStats> TerrainEdits::file_stats() const {
    if (file_ == nullptr) return std::nullopt;
    return file_->stats();
}

}  // namespace quarry::godot
