#include "terrain/store/world_database.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <system_error>
#include <type_traits>
#include <utility>

#include "quarry/terrain/edit_world.hpp"
#include "terrain/content_hasher.hpp"
#include "terrain/files.hpp"

namespace quarry::terrain::store {

using edits::BrickKey;
using edits::DensityBrick;
using edits::PaintBrick;

namespace {

// "QrWd" in the file's head: which program's file it is.
constexpr std::int64_t kApplication = 0x51725764;
constexpr std::array<Migration, 0> kMigrations{};

// A brick's number is that of its region of 64 x 64 x 64, its place in it (six bits a level of the tree: bricks of a
// cell are neighbours), and whether it is paint.
constexpr unsigned kCellBits = 7;
constexpr unsigned kRegionBits = 19;
constexpr const char* kSchema = R"(
    CREATE TABLE world(id INTEGER PRIMARY KEY CHECK(id = 1), voxel_size REAL NOT NULL, origin_x REAL NOT NULL,
                       origin_y REAL NOT NULL, origin_z REAL NOT NULL, ground INTEGER NOT NULL);
    CREATE TABLE contents(id INTEGER PRIMARY KEY CHECK(id = 1), edits INTEGER NOT NULL, bricks INTEGER NOT NULL,
                          paint_bricks INTEGER NOT NULL, checksum INTEGER NOT NULL);
    CREATE TABLE regions(id INTEGER PRIMARY KEY, x INTEGER NOT NULL, y INTEGER NOT NULL, z INTEGER NOT NULL,
                         UNIQUE(x, y, z));
    CREATE TABLE bricks(id INTEGER PRIMARY KEY, data BLOB NOT NULL);
)";

constexpr BrickKey region_key(const BrickKey& key) noexcept {
    return {key.z >> 6, key.y >> 6, key.x >> 6};
}
constexpr std::int64_t place_in_region(const BrickKey& key) noexcept {
    std::int64_t place = 0;
    for (int shift = 4; shift >= 0; shift -= 2) {
        const auto part = [&](std::int32_t at) { return std::int64_t{at >> shift & 3}; };
        place = place << 6 | part(key.z) << 4 | part(key.y) << 2 | part(key.x);
    }
    return place;
}
constexpr BrickKey key_at(const BrickKey& region, std::int64_t place) noexcept {
    BrickKey key{region.z, region.y, region.x};
    for (int shift = 12; shift >= 0; shift -= 6) {
        const auto part = static_cast<std::int32_t>(place >> shift & 63);
        key = {key.z * 4 + (part >> 4), key.y * 4 + (part >> 2 & 3), key.x * 4 + (part & 3)};
    }
    return key;
}
constexpr std::int64_t brick_number(std::int64_t region, const BrickKey& key, bool is_paint) noexcept {
    return region << kRegionBits | place_in_region(key) << 1 | (is_paint ? 1 : 0);
}

std::int64_t checksum(const Contents& contents) noexcept {
    impl::ContentHasher hasher;
    for (const std::uint64_t number : {contents.edits, contents.bricks, contents.paint_bricks}) hasher.add(number);
    return std::bit_cast<std::int64_t>(hasher.value());
}

Contents read_contents(Connection& connection) {
    Statement statement(connection, "SELECT edits, bricks, paint_bricks, checksum FROM contents");
    if (!statement.step()) throw Error("is damaged: it does not say what it holds");
    const auto number = [&](int column) { return static_cast<std::uint64_t>(statement.integer(column)); };
    const Contents contents{number(0), number(1), number(2)};
    if (statement.integer(3) != checksum(contents)) throw Error("is damaged: what it says it holds is wrong");
    return contents;
}

bool has_log(const std::filesystem::path& file) {
    std::error_code none;
    const auto size = std::filesystem::file_size(file.string() + "-wal", none);
    return !none && size > 0;
}

Head read_head_by(Connection& connection) {
    if (connection.number("PRAGMA application_id") != kApplication) throw Error("is not a file of edits");
    Head head;
    head.format = connection.number("PRAGMA user_version");
    if (head.format < 1) throw Error("is not a file of edits");
    if (head.format > kFormat) {
        throw Error("has format " + std::to_string(head.format) + "; this program knows 1 to " +
                    std::to_string(kFormat));
    }
    Statement world(connection, "SELECT voxel_size, origin_x, origin_y, origin_z, ground FROM world");
    if (!world.step()) throw Error("is damaged: it does not say which world it is for");
    head.identity.lattice = {world.real(0), {world.real(1), world.real(2), world.real(3)}};
    head.identity.ground = static_cast<std::uint64_t>(world.integer(4));
    return head;
}

// Errors without the file's name get it.
template <class Work>
auto with_name(const std::filesystem::path& file, Work&& work) -> decltype(work()) {
    try {
        return work();
    } catch (const SqliteError& error) {
        throw file_error(file, error);
    } catch (const Error& error) {
        throw file_error(file, error.what());
    } catch (const std::system_error& error) {
        throw file_error(file, "cannot be written to: " + error.code().message());
    }
}

Connection open_to_read(const std::filesystem::path& file) {
    if (has_log(file)) return {file, Access::read};
    try {
        Connection connection(file, Access::read);
        connection.number("PRAGMA schema_version");
        return connection;
    } catch (const SqliteError& error) {
        // A folder in which no lock can be made: nobody can write there either.
        if (!error.cannot_open() && !error.is_read_only()) throw;
        return {file, Access::immutable};
    }
}

void make_file(const std::filesystem::path& file, const Identity& identity) {
    // Under another name until it is whole. The lock is held: what lies there was left behind by a program that died.
    const std::filesystem::path made = file.string() + "-new";
    const auto remove = [&] {
        std::error_code ignored;
        for (const char* const end : {"", "-wal", "-shm", "-journal"}) {
            std::filesystem::remove(made.string() + end, ignored);
        }
    };
    remove();
    try {
        {
            Connection connection(made, Access::create);
            connection.run("PRAGMA application_id = " + std::to_string(kApplication) +
                           "; PRAGMA user_version = " + std::to_string(kFormat) + "; PRAGMA journal_mode = DELETE");
            Transaction transaction(connection);
            connection.run(kSchema);
            const Lattice& lattice = identity.lattice;
            Statement(connection, "INSERT INTO world VALUES(1, ?, ?, ?, ?, ?)")
                .bind(1, lattice.voxel_size)
                .bind(2, lattice.origin.x)
                .bind(3, lattice.origin.y)
                .bind(4, lattice.origin.z)
                .bind(5, static_cast<std::int64_t>(identity.ground))
                .run();
            Statement(connection, "INSERT INTO contents VALUES(1, 0, 0, 0, ?)").bind(1, checksum({})).run();
            transaction.commit();
            connection.run("PRAGMA journal_mode = WAL");
        }
        std::error_code no_links;
        std::filesystem::create_hard_link(made, file, no_links);
        if (no_links) {
            if (std::filesystem::exists(file)) throw Error("was made by another program meanwhile");
            std::filesystem::rename(made, file);
        }
        impl::os::sync_folder(file.parent_path());
    } catch (...) {
        remove();
        throw;
    }
    remove();
}

}  // namespace

void migrate(Connection& connection, std::span<const Migration> steps, std::int64_t to) {
    Transaction transaction(connection);
    std::int64_t format = connection.number("PRAGMA user_version");
    // Even an empty transaction may write, where a number in the file's head is wrong.
    if (format == to) return;
    for (; format < to; ++format) {
        const auto step =
            std::find_if(steps.begin(), steps.end(), [&](const Migration& s) { return s.from == format; });
        if (step == steps.end()) throw Error("has format " + std::to_string(format) + ", which is no longer known");
        connection.run(step->statements);
        connection.run("PRAGMA user_version = " + std::to_string(format + 1));
    }
    transaction.commit();
}

Error file_error(const std::filesystem::path& file, const std::string& what) {
    return Error(impl::on_one_line(file.string()) + ": " + impl::on_one_line(what));
}

Error file_error(const std::filesystem::path& file, const SqliteError& error) {
    const std::string text = error.what();
    if (error.is_busy()) return file_error(file, "is locked by another program");
    if (error.is_damage()) return file_error(file, "is damaged, or not a file of edits: " + text);
    if (error.is_read_only()) return file_error(file, "cannot be written to: " + text);
    if (error.cannot_open()) return file_error(file, "cannot be opened: " + text);
    return file_error(file, text);
}

bool look_for_file(const std::filesystem::path& file) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(file, error);
    if (std::filesystem::is_directory(status)) throw file_error(file, "is a folder; a file is needed");
    if (std::filesystem::exists(status)) {
        if (!std::filesystem::is_regular_file(status)) {
            throw file_error(file, "is a device, a pipe or a socket; a file is needed");
        }
        return true;
    }
    if (status.type() != std::filesystem::file_type::not_found) throw file_error(file, error.message());
    const std::filesystem::path folder = file.parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
        throw file_error(file, "cannot be made: there is no folder " + folder.string());
    }
    return false;
}

Head read_head(const std::filesystem::path& file) {
    if (!look_for_file(file)) throw file_error(file, "is not there");
    return with_name(file, [&] {
        // With a log the file alone may be in the middle of being written.
        if (has_log(file)) {
            Connection connection(file, Access::look);
            return read_head_by(connection);
        }
        Connection connection(file, Access::immutable);
        const Head head = read_head_by(connection);
        read_contents(connection);
        // SQLite does not mind half a page at the end.
        if (std::filesystem::file_size(file) % static_cast<std::uint64_t>(connection.number("PRAGMA page_size")) != 0) {
            throw Error("is damaged: its end is missing");
        }
        return head;
    });
}

void require(const std::filesystem::path& file, const Identity& identity) {
    const Identity found = read_head(file).identity;
    if (found.ground != identity.ground) {
        throw file_error(file,
                         "is for ground " + std::to_string(found.ground) + ", not " + std::to_string(identity.ground));
    }
    if (found.lattice != identity.lattice) throw file_error(file, "is for another lattice");
}

template <class Work>
auto Reader::guarded(Work&& work) -> decltype(work()) {
    return with_name(file_, std::forward<Work>(work));
}

Reader::Reader(const std::filesystem::path& file)
    : file_(file), connection_(with_name(file, [&] { return open_to_read(file); })) {
    guarded([&] {
        if (read_head_by(connection_).format < kFormat) throw Error("has an older format: open it for writing once");
        find_region_.emplace(connection_, "SELECT id FROM regions WHERE x = ? AND y = ? AND z = ?");
        read_cell_.emplace(connection_, "SELECT id, data FROM bricks WHERE id >= ? AND id < ? ORDER BY id");
        next_brick_.emplace(connection_, "SELECT id FROM bricks WHERE id >= ? AND id < ? ORDER BY id LIMIT 1");
    });
}

Contents Reader::contents() {
    return guarded([&] { return read_contents(connection_); });
}

std::vector<CellKey> Reader::cells() {
    return guarded([&] {
        std::vector<CellKey> cells;
        Statement regions(connection_, "SELECT id, x, y, z FROM regions");
        while (regions.step()) {
            const auto coordinate = [&](int column) { return static_cast<std::int32_t>(regions.integer(column)); };
            const BrickKey region{coordinate(3), coordinate(2), coordinate(1)};
            const std::int64_t first = regions.integer(0) << kRegionBits;
            const std::int64_t end = first + (std::int64_t{1} << kRegionBits);
            for (std::int64_t at = first; at < end;) {
                next_brick_->bind(1, at).bind(2, end);
                if (!next_brick_->step()) break;
                const std::int64_t cell = next_brick_->integer(0) >> kCellBits;
                next_brick_->reset();
                cells.push_back(cell_of(key_at(region, ((cell << kCellBits) - first) >> 1)));
                at = (cell + 1) << kCellBits;
            }
        }
        return cells;
    });
}

void Reader::read(const CellKey& cell, std::vector<StoredBrick>& out) {
    guarded([&] {
        const BrickKey first{cell.z * 4, cell.y * 4, cell.x * 4};
        const BrickKey region = region_key(first);
        const auto [known, is_new] = regions_.try_emplace(region, 0);
        if (is_new) {
            find_region_->bind(1, std::int64_t{region.x})
                .bind(2, std::int64_t{region.y})
                .bind(3, std::int64_t{region.z});
            if (find_region_->step()) known->second = find_region_->integer(0);
            find_region_->reset();
        }
        if (known->second == 0) return;
        const std::int64_t base = known->second << kRegionBits;
        const std::int64_t low = brick_number(known->second, first, false);
        read_cell_->bind(1, low).bind(2, low + (std::int64_t{1} << kCellBits));
        try {
            while (read_cell_->step()) {
                const std::int64_t number = read_cell_->integer(0);
                StoredBrick brick{key_at(region, (number - base) >> 1), nullptr, nullptr};
                if ((number & 1) != 0) {
                    brick.paint = codec_.decode<PaintBrick>(brick.key, read_cell_->bytes(1));
                } else {
                    brick.density = codec_.decode<DensityBrick>(brick.key, read_cell_->bytes(1));
                }
                out.push_back(std::move(brick));
            }
        } catch (const SqliteError&) {
            throw;
        } catch (const Error& error) {
            read_cell_->reset();
            throw Error(std::string("is damaged: ") + error.what());
        }
    });
}

std::uint64_t Reader::brick_bytes() {
    return guarded([&] {
        return static_cast<std::uint64_t>(connection_.number("SELECT coalesce(sum(length(data)), 0) FROM bricks"));
    });
}

std::uint64_t Reader::file_bytes() {
    return guarded([&] {
        return static_cast<std::uint64_t>(connection_.number("PRAGMA page_count") *
                                          connection_.number("PRAGMA page_size"));
    });
}

std::vector<std::string> Reader::complaints() {
    return guarded([&] {
        std::vector<std::string> found;
        Statement check(connection_, "PRAGMA integrity_check(20)");
        while (check.step()) {
            if (const std::string text = check.text(0); text != "ok") found.push_back(impl::on_one_line(text));
        }
        const std::int64_t strays =
            connection_.number("SELECT count(*) FROM bricks WHERE id >> 19 NOT IN (SELECT id FROM regions)");
        if (strays != 0) found.push_back(std::to_string(strays) + " bricks are nowhere");
        return found;
    });
}

void Reader::hold_still() {
    guarded([&] {
        connection_.run("BEGIN");
        connection_.number("SELECT count(*) FROM world");
    });
}

Writer::Writer(const std::filesystem::path& file, const Identity& identity) : file_(file) {
    bool is_there = look_for_file(file);
    if (is_there) require(file, identity);
    with_name(file, [&] {
        if (!lock_.take(file.string() + "-writer")) throw Error("is being written by another program");
        is_there = look_for_file(file);
        if (!is_there) make_file(file, identity);
    });
    if (is_there) require(file, identity);
    with_name(file, [&] {
        connection_.emplace(file, Access::write);
        if (connection_->is_read_only()) throw Error("cannot be written to");
        connection_->run("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216");
        migrate(*connection_, kMigrations, kFormat);
        contents_ = read_contents(*connection_);
        prepare();
    });
}

void Writer::prepare() {
    Connection& connection = *connection_;
    find_region_.emplace(connection, "SELECT id FROM regions WHERE x = ? AND y = ? AND z = ?");
    add_region_.emplace(connection, "INSERT INTO regions(x, y, z) VALUES(?, ?, ?) RETURNING id");
    update_brick_.emplace(connection, "UPDATE bricks SET data = ?2 WHERE id = ?1 RETURNING 1");
    add_brick_.emplace(connection, "INSERT INTO bricks VALUES(?1, ?2)");
    drop_brick_.emplace(connection, "DELETE FROM bricks WHERE id = ? RETURNING 1");
    set_contents_.emplace(connection, "UPDATE contents SET edits = ?, bricks = ?, paint_bricks = ?, checksum = ?");
}

std::int64_t Writer::region_of(const BrickKey& key) {
    const BrickKey region = region_key(key);
    const auto [known, is_new] = regions_.try_emplace(region, 0);
    if (!is_new) return known->second;
    for (Statement* const statement : {&*find_region_, &*add_region_}) {
        statement->bind(1, std::int64_t{region.x}).bind(2, std::int64_t{region.y}).bind(3, std::int64_t{region.z});
        if (statement->step()) {
            known->second = statement->integer(0);
            statement->run();
            return known->second;
        }
    }
    throw Error("no region was made");
}

template <class Brick>
void Writer::save_bricks(const edits::BrickTree<Brick>& before, const edits::BrickTree<Brick>& now,
                         std::uint64_t& count) {
    now.for_each_difference(before, [&](const BrickKey& key, const Brick* brick) {
        // Read from this file, and not changed since.
        if (brick != nullptr && brick->epoch == 0) return;
        const std::int64_t number = brick_number(region_of(key), key, std::is_same_v<Brick, PaintBrick>);
        if (brick == nullptr) {
            if (drop_brick_->bind(1, number).step()) {
                drop_brick_->run();
                --count;
            }
            return;
        }
        const std::span<const std::byte> bytes = codec_.encode(key, *brick);
        if (update_brick_->bind(1, number).bind(2, bytes).step()) {
            update_brick_->run();
        } else {
            add_brick_->bind(1, number).bind(2, bytes).run();
            ++count;
        }
    });
}

void Writer::save(const edits::Snapshot* before, const edits::Snapshot& now, std::uint64_t edits) {
    static const edits::BrickTree<DensityBrick> kNoDensities;
    static const edits::BrickTree<PaintBrick> kNoPaint;
    Contents contents = contents_;
    contents.edits = edits;
    try {
        Transaction transaction(*connection_);
        save_bricks(before == nullptr ? kNoDensities : before->densities, now.densities, contents.bricks);
        save_bricks(before == nullptr ? kNoPaint : before->paint, now.paint, contents.paint_bricks);
        set_contents_->bind(1, static_cast<std::int64_t>(contents.edits))
            .bind(2, static_cast<std::int64_t>(contents.bricks))
            .bind(3, static_cast<std::int64_t>(contents.paint_bricks))
            .bind(4, checksum(contents))
            .run();
        transaction.commit();
    } catch (...) {
        regions_.clear();  // those that were new are not in the file
        throw;
    }
    contents_ = contents;
}

void Writer::compact() {
    with_name(file_, [&] {
        connection_->run("VACUUM");
        connection_->run("PRAGMA wal_checkpoint(TRUNCATE)");
    });
}

}  // namespace quarry::terrain::store
