#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/edit_world.hpp"
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

    // Throws std::invalid_argument for what is out of range.
    terrain::EditReport apply(terrain::Edit edit);
    // Edits from here on are undone together.
    void begin_stroke() noexcept { ++stroke_; }
    // The last stroke. Nothing: there is none.
    std::optional<terrain::EditReport> undo();
    std::optional<terrain::EditReport> redo();

    // Once a frame: where ground of the file has appeared since.
    std::span<const terrain::Box> bring(const terrain::Position& viewer);
    std::optional<terrain::WorldFileStats> file_stats() const;
    terrain::EditWorldStats stats() const { return world_->stats(); }
    // Waits until all is in the file. False: it could not be saved, or there is no file.
    bool save() { return file_ != nullptr && file_->save(); }

  private:
    std::string name_;  // of the ground, the lattice and the file
    DescribedWorld below_;
    std::shared_ptr<Pool> pool_;  // that the file was opened with
    std::unique_ptr<terrain::EditWorld> world_;
    std::unique_ptr<terrain::WorldFile> file_;
    std::string file_name_;
    std::uint32_t stroke_ = 1;
};

}  // namespace quarry::godot
