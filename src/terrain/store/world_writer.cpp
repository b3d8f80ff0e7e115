#include <array>
#include <system_error>
#include <type_traits>
#include <utility>

#include "terrain/store/world_database.hpp"
#include "terrain/store/world_format.hpp"

namespace quarry::terrain::store {

using edits::BrickKey;
using edits::DensityBrick;
using edits::PaintBrick;

namespace {

constexpr std::array<Migration, 0> kMigrations{};

constexpr const char* kSchema = R"(
    CREATE TABLE world(id INTEGER PRIMARY KEY CHECK(id = 1), voxel_size REAL NOT NULL, origin_x REAL NOT NULL,
                       origin_y REAL NOT NULL, origin_z REAL NOT NULL, ground INTEGER NOT NULL);
    CREATE TABLE contents(id INTEGER PRIMARY KEY CHECK(id = 1), edits INTEGER NOT NULL, bricks INTEGER NOT NULL,
                          paint_bricks INTEGER NOT NULL, checksum INTEGER NOT NULL);
    CREATE TABLE regions(id INTEGER PRIMARY KEY, x INTEGER NOT NULL, y INTEGER NOT NULL, z INTEGER NOT NULL,
                         UNIQUE(x, y, z));
    CREATE TABLE bricks(id INTEGER PRIMARY KEY, data BLOB NOT NULL);
)";

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
    static const edits::BrickTree<DensityBrick> no_densities;
    static const edits::BrickTree<PaintBrick> no_paint;
    Contents contents = contents_;
    contents.edits = edits;
    try {
        Transaction transaction(*connection_);
        save_bricks(before == nullptr ? no_densities : before->densities, now.densities, contents.bricks);
        save_bricks(before == nullptr ? no_paint : before->paint, now.paint, contents.paint_bricks);
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
