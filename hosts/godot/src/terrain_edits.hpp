#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/edit_log.hpp"
#include "quarry/terrain/edit_world.hpp"
#include "quarry/terrain/loose_parts.hpp"
#include "quarry/terrain/world_file.hpp"
#include "settings.hpp"

namespace quarry::godot {

// What has been done to a terrain's ground, and the file that keeps it.
class TerrainEdits {
  public:
    // The world below. Edits stay if it is the one there was. Otherwise they are those of the file, if there is a file,
    // or none. Throws quarry::Error for a file that cannot be used, and changes nothing.
    void set_ground(const DescribedWorld& world, const terrain::Lattice& lattice, const std::string& file,
                    const std::shared_ptr<Pool>& pool);
    bool has_ground() const noexcept { return world_ != nullptr; }

    // The world with its edits.
    DescribedWorld now() const;

    // Whose strokes undo takes back. Several who edit one world over a network have a number each.
    void set_editor(std::uint16_t editor) noexcept { editor_ = editor; }

    // Throws std::invalid_argument for what is out of range.
    terrain::EditReport apply(terrain::Edit edit);
    // An edit as a message for others, and one of somebody else's. Throws quarry::Error for what is no such message, or
    // one for another world; std::invalid_argument for what is out of range.
    std::vector<std::byte> message_of(const terrain::Edit& edit) const;
    terrain::EditReport apply_message(std::span<const std::byte> message);
    // The edit that was made last, for message_of.
    const terrain::Edit& last() const noexcept { return last_; }
    // Edits from here on are undone together.
    void begin_stroke() noexcept { ++stroke_; }
    // The last stroke. Nothing: there is none.
    std::optional<terrain::EditReport> undo();
    std::optional<terrain::EditReport> redo();

    // Once a frame: where ground of the file has appeared since.
    std::span<const terrain::Box> bring(std::span<const terrain::Position> viewers);
    std::optional<terrain::WorldFileStats> file_stats() const;
    terrain::EditWorldStats stats() const { return world_->stats(); }

    // After an edit, where that is wanted: looks for pieces that hang in the air. What was found comes later.
    void look_for_loose_parts(const terrain::Box& changed);
    std::vector<terrain::LoosePart> take_loose_parts();
    // The piece that the lattice point nearest to a place belongs to, as it is now. Nothing: it belongs to the ground,
    // or it is in the air.
    std::optional<terrain::LoosePart> loose_part_at(const terrain::Position& place);

    // Waits until all is in the file. False: it could not be saved, or there is no file.
    bool save() { return file_ != nullptr && file_->save(); }

  private:
    terrain::EditReport apply_last();
    terrain::EditLogWorld log_world() const;

    std::string name_;  // of the ground, the lattice and the file
    DescribedWorld below_;
    std::shared_ptr<Pool> pool_;  // that the file was opened with
    std::unique_ptr<terrain::EditWorld> world_;
    std::unique_ptr<terrain::WorldFile> file_;
    std::string file_name_;
    std::unique_ptr<terrain::LoosePartFinder> finder_;  // made when it is first needed
    std::uint32_t stroke_ = 1;
    std::uint16_t editor_ = 0;
    terrain::Edit last_;
};

}  // namespace quarry::godot
