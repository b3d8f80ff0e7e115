#include <utility>

#include "terrain/files.hpp"
#include "terrain/store/world_database.hpp"
#include "terrain/store/world_format.hpp"

namespace quarry::terrain::store {
namespace {

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

}  // namespace

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
        Statement regions(connection_, "SELECT id, x, y, z FROM regions ORDER BY id");
        // In a damaged file numbers may go back, for ever.
        std::int64_t last = 0;
        while (regions.step()) {
            if (regions.integer(0) <= last || regions.integer(0) > kMostRegions)
                throw Error("is damaged: its parts are not in order");
            last = regions.integer(0);
            const auto coordinate = [&](int column) { return static_cast<std::int32_t>(regions.integer(column)); };
            const edits::BrickKey region{coordinate(3), coordinate(2), coordinate(1)};
            const std::int64_t first = regions.integer(0) << kRegionBits;
            const std::int64_t end = first + (std::int64_t{1} << kRegionBits);
            for (std::int64_t at = first; at < end;) {
                next_brick_->bind(1, at).bind(2, end);
                if (!next_brick_->step()) break;
                const std::int64_t found = next_brick_->integer(0);
                next_brick_->reset();
                if (found < at || found >= end) throw Error("is damaged: its bricks are not in order");
                const std::int64_t cell = found >> kCellBits;
                cells.push_back(cell_of(key_at(region, ((cell << kCellBits) - first) >> 1)));
                at = (cell + 1) << kCellBits;
            }
        }
        return cells;
    });
}

void Reader::read(const CellKey& cell, std::vector<StoredBrick>& out) {
    guarded([&] {
        const edits::BrickKey first{cell.z * 4, cell.y * 4, cell.x * 4};
        const edits::BrickKey region = region_key(first);
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
        std::int64_t last = low - 1;
        try {
            while (read_cell_->step()) {
                const std::int64_t number = read_cell_->integer(0);
                if (number <= last || number >= low + (std::int64_t{1} << kCellBits))
                    throw Error("bricks are not in order");
                last = number;
                StoredBrick brick{key_at(region, (number - base) >> 1), nullptr, nullptr};
                if ((number & 1) != 0) {
                    brick.paint = codec_.decode<edits::PaintBrick>(brick.key, read_cell_->bytes(1));
                } else {
                    brick.density = codec_.decode<edits::DensityBrick>(brick.key, read_cell_->bytes(1));
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

}  // namespace quarry::terrain::store
