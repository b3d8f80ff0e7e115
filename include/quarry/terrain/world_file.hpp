#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/fwd.hpp"
#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain {

// How a WorldFile is opened.
struct WorldFileOptions {
    std::uint64_t ground = 0;              // the host's number for field and stamps; a file for another one is refused
    std::chrono::milliseconds batch{200};  // edits are collected for so long, then saved together; 0 .. 60 s
    bool read_only = false;                // nothing is saved; others may write the file meanwhile
};

// What has become of edits.
struct WorldFileStats {
    std::uint64_t edits = 0;     // made in this world, in all sessions
    std::uint64_t saved = 0;     // of these, the first so many are in the file, whatever happens to program or machine
    std::uint64_t batches = 0;   // saved in this session
    std::uint64_t failures = 0;  // batches that could not be saved; each was tried again
    std::string problem;         // why nothing can be saved or loaded just now; empty: all is well
    bool is_damaged = false;     // part of the file cannot be read: nothing is saved any more, the file stays as it is
    bool is_loaded = false;      // all of the file has been loaded
    std::size_t loaded_bricks = 0;  // of both kinds, in this session
};

// Keeps an EditWorld in a file: what is in the file appears in the world, nearest first, and edits are saved as they
// are made. The file is an SQLite database.
//
// Edits are saved in batches, each in one transaction, by jobs of Lane::io. What was reported as saved survives a crash
// and a power cut. At most the edits since then are lost, always the last ones: the file holds the world as it was
// after its first so many edits. While nothing can be saved (a full disk) edits stay in memory, and saving is tried
// again.
//
// Undo does not go back beyond the moment when the file was opened.
//
// All calls come from the thread that edits the world. The world and the pool outlive the file.
class WorldFile {
  public:
    // Opens the file, or makes it if there is none, for a world without edits. Throws quarry::Error, one line with the
    // file's name, for a file of another ground, lattice or format, one that is damaged or not a world file, one that
    // another program writes, and a place that cannot be written to; whatever is there stays as it is; and for a pool
    // without I/O threads. Throws
    // std::invalid_argument for options out of range, and a world that has edits already.
    QUARRY_API WorldFile(Pool& pool, EditWorld& world, std::filesystem::path file,
                         const WorldFileOptions& options = {});
    WorldFile(const WorldFile&) = delete;
    WorldFile& operator=(const WorldFile&) = delete;
    // Saves what is left, and waits for that.
    QUARRY_API ~WorldFile();

    // Once a frame: takes in what was loaded, and hands out the next jobs. Never waits. What is near these places is
    // loaded first. Gives the boxes in which ground of the file has appeared since the last call, also by edits and
    // load(): meshes there are out of date. They are valid until the next call.
    QUARRY_API std::span<const Box> update(std::span<const Position> near);

    // Loads what the file has in a box, or all of it, now, on this thread. Edits do that by themselves for what they
    // reach. Throws quarry::Error where the file cannot be read.
    QUARRY_API void load(const Box& box);
    QUARRY_API void load_all();

    // Waits until all edits are in the file. False: they could not be saved; stats().problem says why.
    QUARRY_API bool save();

    // As it is now; `saved` as of the last update() or save().
    QUARRY_API WorldFileStats stats() const;

  private:
    class Session;
    std::unique_ptr<Session> session_;
};

}  // namespace quarry::terrain
