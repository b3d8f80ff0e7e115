#include "terrain/store/world_database.hpp"

#include <algorithm>
#include <bit>
#include <system_error>

#include "terrain/content_hasher.hpp"
#include "terrain/files.hpp"
#include "terrain/store/world_format.hpp"

namespace quarry::terrain::store {

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
    if (error.is_about_room()) return file_error(file, "there is no room on its disk: " + text);
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
    std::error_code ignored;
    const bool is_missing = std::filesystem::status(file, ignored).type() == std::filesystem::file_type::not_found;
    if (is_missing || !look_for_file(file)) throw file_error(file, "is not there");
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

}  // namespace quarry::terrain::store
