#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quarry/terrain/lattice.hpp"
#include "terrain/edits/snapshot.hpp"
#include "terrain/os.hpp"
#include "terrain/store/brick_codec.hpp"
#include "terrain/store/sqlite.hpp"

namespace quarry::terrain::store {

inline constexpr std::int64_t kFormat = 1;

// Which world a file is for. Set when it is made.
struct Identity {
    Lattice lattice{};
    std::uint64_t ground = 0;

    friend constexpr bool operator==(const Identity&, const Identity&) = default;
};

// What a file holds; changes with each batch.
struct Contents {
    std::uint64_t edits = 0;
    std::uint64_t bricks = 0;
    std::uint64_t paint_bricks = 0;

    friend constexpr bool operator==(const Contents&, const Contents&) = default;
};

// 4 x 4 x 4 bricks: what is read at once. The key of the first brick, divided by four.
using CellKey = edits::BrickKey;
constexpr CellKey cell_of(const edits::BrickKey& key) noexcept {
    return {key.z >> 2, key.y >> 2, key.x >> 2};
}
constexpr edits::LatticeBox box_of_cell(const CellKey& cell) noexcept {
    const LatticePoint low = edits::first_of({cell.z * 4, cell.y * 4, cell.x * 4});
    constexpr std::int32_t kSize = 4 * edits::kBrickSize - 1;
    return {low, {low.x + kSize, low.y + kSize, low.z + kSize}};
}

// One of both is there.
struct StoredBrick {
    edits::BrickKey key;
    std::shared_ptr<edits::DensityBrick> density;
    std::shared_ptr<edits::PaintBrick> paint;
};

// How to bring a file of format `from` to the next one.
struct Migration {
    std::int64_t from;
    const char* statements;
};
// All steps up to a format in one transaction. Throws SqliteError, quarry::Error where there is no step from a format.
void migrate(Connection& connection, std::span<const Migration> steps, std::int64_t to);

// "FILE: what is wrong with it", in one line.
Error file_error(const std::filesystem::path& file, const std::string& what);
Error file_error(const std::filesystem::path& file, const SqliteError& error);

// Refuses what is no file, and a folder that is not there. Says whether there is a file.
bool look_for_file(const std::filesystem::path& file);

// Looks at a file without changing it. Throws quarry::Error, one line, for a file that is no world, or of a newer
// format.
struct Head {
    std::int64_t format = 0;
    Identity identity;
};
Head read_head(const std::filesystem::path& file);
// Throws quarry::Error for a file of another world, too.
void require(const std::filesystem::path& file, const Identity& identity);

// Reads a file that somebody may be writing. Not for several threads at once. Throws quarry::Error with the file's
// name.
class Reader {
  public:
    explicit Reader(const std::filesystem::path& file);

    Contents contents();
    // All cells that have bricks.
    std::vector<CellKey> cells();
    // The bricks of a cell, behind what is there already.
    void read(const CellKey& cell, std::vector<StoredBrick>& out);
    // Bytes of bricks, compressed.
    std::uint64_t brick_bytes();
    std::uint64_t file_bytes();
    // SQLite's own check of the whole file: what it complains of.
    std::vector<std::string> complaints();
    // From now on all is as it is at this moment, whatever is written.
    void hold_still();

  private:
    template <class Work>
    auto guarded(Work&& work) -> decltype(work());

    std::filesystem::path file_;
    Connection connection_;
    BrickCodec codec_;
    std::optional<Statement> find_region_;
    std::optional<Statement> read_cell_;
    std::optional<Statement> next_brick_;
    std::map<edits::BrickKey, std::int64_t> regions_;  // 0: there is none
};

// Writes a file; the only one that does, while it exists.
class Writer {
  public:
    // Makes the file if there is none. Throws quarry::Error for a file of another world, a damaged one, and one that
    // somebody else writes; all of them stay as they are.
    Writer(const std::filesystem::path& file, const Identity& identity);

    const Contents& contents() const noexcept { return contents_; }
    // All that differs between two moments (the first may be null: nothing was there), in one transaction. When it
    // returns it is on the disk. Throws SqliteError, and then the file is as before.
    void save(const edits::Snapshot* before, const edits::Snapshot& now, std::uint64_t edits);
    // Writes the file anew without gaps.
    void compact();

  private:
    std::int64_t region_of(const edits::BrickKey& key);
    template <class Brick>
    void save_bricks(const edits::BrickTree<Brick>& before, const edits::BrickTree<Brick>& now, std::uint64_t& count);
    void prepare();

    std::filesystem::path file_;
    impl::os::LockFile lock_;
    std::optional<Connection> connection_;
    BrickCodec codec_;
    Contents contents_;
    std::map<edits::BrickKey, std::int64_t> regions_;
    std::optional<Statement> find_region_, add_region_, update_brick_, add_brick_, drop_brick_, set_contents_;
};

}  // namespace quarry::terrain::store
