#include "terrain_edits.hpp"

#include <cmath>
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
    if (world_ != nullptr && name == name_) {
        below_.limits = world.limits;
        return;
    }
    auto edited = std::make_unique<terrain::EditWorld>(world.field, terrain::EditWorldOptions{.lattice = lattice});
    std::unique_ptr<terrain::WorldFile> opened;
    if (!file.empty()) {
        // It stays open for the world that it belongs to, whose edits would be lost otherwise.
        if (file_ != nullptr && file == file_name_) throw Error(file + ": it keeps the edits of another world");
        opened = std::make_unique<terrain::WorldFile>(*pool, *edited, file,
                                                      terrain::WorldFileOptions{.ground = number_of(world.name)});
    }
    finder_.reset();
    file_ = std::move(opened);  // the old one saves what is left, so its world and pool go after it
    file_name_ = file;
    world_ = std::move(edited);
    pool_ = pool;
    below_ = world;
    name_ = std::move(name);
}

DescribedWorld TerrainEdits::now() const {
    DescribedWorld world = below_;
    world.field = within(below_.limits, world_->field());
    if (below_.materials != nullptr) world.materials = world_->materials(below_.materials);
    return world;
}

terrain::EditReport TerrainEdits::apply_last() {
    return world_->apply(last_);
}

terrain::EditReport TerrainEdits::apply(terrain::Edit edit) {
    edit.stroke = stroke_;
    edit.editor = editor_;
    last_ = edit;
    return apply_last();
}

std::optional<terrain::EditReport> TerrainEdits::undo() {
    const std::optional<terrain::Edit> edit = world_->undo_of(editor_);
    if (!edit) return std::nullopt;
    begin_stroke();
    last_ = *edit;
    return apply_last();
}

std::optional<terrain::EditReport> TerrainEdits::redo() {
    const std::optional<terrain::Edit> edit = world_->redo_of(editor_);
    if (!edit) return std::nullopt;
    begin_stroke();
    last_ = *edit;
    return apply_last();
}

terrain::EditLogWorld TerrainEdits::log_world() const {
    return {world_->options().lattice, world_->options().undo_bytes, number_of(below_.name)};
}

// A whole log of one edit: it names its world and has a checksum.
std::vector<std::byte> TerrainEdits::message_of(const terrain::Edit& edit) const {
    terrain::EditLog log(log_world());
    log.write(edit);
    return log.take();
}

terrain::EditReport TerrainEdits::apply_message(std::span<const std::byte> message) {
    terrain::EditLog log(log_world());
    log.feed(message);
    const std::optional<terrain::NumberedEdit> numbered = log.next();
    if (!numbered || !log.at_end()) throw Error("the bytes are not one whole edit");
    return world_->apply(numbered->edit);
}

void TerrainEdits::look_for_loose_parts(const terrain::Box& changed) {
    if (finder_ == nullptr) finder_ = std::make_unique<terrain::LoosePartFinder>(*pool_);
    finder_->look(world_->field(), changed);
}

std::vector<terrain::LoosePart> TerrainEdits::take_loose_parts() {
    if (finder_ == nullptr) return {};
    return finder_->take();
}

std::optional<terrain::LoosePart> TerrainEdits::loose_part_at(const terrain::Position& place) {
    const double voxel = world_->options().lattice.voxel_size;
    const auto nearest = [&](double at) { return std::round(at / voxel) * voxel; };
    const terrain::Position point{nearest(place.x), nearest(place.y), nearest(place.z)};
    const terrain::Box box{point, point};
    for (terrain::LoosePart& part : terrain::find_loose_parts(*world_->field(), std::span(&box, 1))) {
        if (part.field->density_at(point) < 0) return std::move(part);
    }
    return std::nullopt;
}

std::span<const terrain::Box> TerrainEdits::bring(std::span<const terrain::Position> viewers) {
    if (file_ == nullptr) return {};
    return file_->update(viewers);
}

std::optional<terrain::WorldFileStats> TerrainEdits::file_stats() const {
    if (file_ == nullptr) return std::nullopt;
    return file_->stats();
}

}  // namespace quarry::godot
