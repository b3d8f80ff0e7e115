#include "quarry/terrain/world_file_tools.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "terrain/store/world_database.hpp"

namespace quarry::terrain {
namespace {

using edits::LatticeBox;
using store::CellKey;
using store::StoredBrick;

constexpr std::size_t kMostProblems = 20;

Box in_world(const LatticeBox& box, const Lattice& lattice) {
    return {lattice.at(box.low), lattice.at(box.high)};
}

std::uint64_t bytes_on_disk(const std::filesystem::path& file) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    return error ? 0 : size;
}

// Bricks of a cell by their place.
struct Cell {
    std::map<edits::BrickKey, std::shared_ptr<edits::DensityBrick>> densities;
    std::map<edits::BrickKey, std::shared_ptr<edits::PaintBrick>> paint;
};

Cell read_cell(store::Reader& reader, const CellKey& key) {
    std::vector<StoredBrick> bricks;
    reader.read(key, bricks);
    Cell cell;
    for (StoredBrick& brick : bricks) {
        if (brick.density != nullptr) cell.densities.emplace(brick.key, std::move(brick.density));
        if (brick.paint != nullptr) cell.paint.emplace(brick.key, std::move(brick.paint));
    }
    return cell;
}

template <class Bricks>
void compare(const Bricks& one, const Bricks& other, std::uint64_t& samples, std::uint64_t& bricks, LatticeBox& where) {
    using Brick = typename Bricks::mapped_type::element_type;
    static const Brick none;
    std::set<edits::BrickKey> keys;
    for (const auto& [key, brick] : one) keys.insert(key);
    for (const auto& [key, brick] : other) keys.insert(key);
    for (const edits::BrickKey& key : keys) {
        const auto here = one.find(key);
        const auto there = other.find(key);
        const auto& a = here == one.end() ? none.values : here->second->values;
        const auto& b = there == other.end() ? none.values : there->second->values;
        std::uint64_t found = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (a[i] == b[i]) continue;
            ++found;
            where.include(edits::point_of<Brick>(key, i));
        }
        samples += found;
        bricks += found != 0 ? 1 : 0;
    }
}

}  // namespace

WorldFileInfo world_file_info(const std::filesystem::path& file) {
    const store::Head head = store::read_head(file);
    store::Reader reader(file);
    reader.hold_still();
    const store::Contents contents = reader.contents();
    WorldFileInfo info{.format = static_cast<int>(head.format),
                       .lattice = head.identity.lattice,
                       .ground = head.identity.ground,
                       .edits = contents.edits,
                       .bricks = contents.bricks,
                       .paint_bricks = contents.paint_bricks,
                       .brick_bytes = reader.brick_bytes(),
                       .file_bytes = reader.file_bytes()};
    LatticeBox box = LatticeBox::nothing();
    for (const CellKey& cell : reader.cells()) box.include(store::box_of_cell(cell));
    if (!box.empty()) info.edited = in_world(box, info.lattice);
    return info;
}

WorldFileCheck check_world_file(const std::filesystem::path& file) {
    store::read_head(file);
    store::Reader reader(file);
    reader.hold_still();
    WorldFileCheck check;
    check.problems = reader.complaints();
    std::uint64_t bricks = 0;
    std::uint64_t paint_bricks = 0;
    const auto add = [&](const Error& error) {
        if (check.problems.size() < kMostProblems) check.problems.emplace_back(error.what());
    };
    try {
        for (const CellKey& cell : reader.cells()) {
            try {
                const Cell read = read_cell(reader, cell);
                bricks += read.densities.size();
                paint_bricks += read.paint.size();
            } catch (const Error& error) {
                add(error);
            }
        }
        check.bricks = bricks + paint_bricks;
        const store::Contents contents = reader.contents();
        if (check.problems.empty() && (contents.bricks != bricks || contents.paint_bricks != paint_bricks)) {
            check.problems.push_back("it should have " + std::to_string(contents.bricks) + " bricks and " +
                                     std::to_string(contents.paint_bricks) + " of paint, but has " +
                                     std::to_string(bricks) + " and " + std::to_string(paint_bricks));
        }
    } catch (const Error& error) {
        add(error);
    }
    return check;
}

WorldFileSizes compact_world_file(const std::filesystem::path& file) {
    const store::Head head = store::read_head(file);
    WorldFileSizes sizes;
    sizes.before = bytes_on_disk(file) + bytes_on_disk(file.string() + "-wal");
    store::Writer(file, head.identity).compact();
    sizes.after = bytes_on_disk(file);
    return sizes;
}

WorldFileDifference diff_world_files(const std::filesystem::path& one, const std::filesystem::path& other) {
    WorldFileDifference difference;
    const store::Identity identity = store::read_head(one).identity;
    difference.same_world = identity == store::read_head(other).identity;
    if (!difference.same_world) return difference;
    store::Reader first(one);
    store::Reader second(other);
    first.hold_still();
    second.hold_still();
    std::set<CellKey> cells;
    for (const CellKey& cell : first.cells()) cells.insert(cell);
    for (const CellKey& cell : second.cells()) cells.insert(cell);
    LatticeBox where = LatticeBox::nothing();
    for (const CellKey& cell : cells) {
        const Cell a = read_cell(first, cell);
        const Cell b = read_cell(second, cell);
        compare(a.densities, b.densities, difference.samples, difference.bricks, where);
        compare(a.paint, b.paint, difference.painted, difference.bricks, where);
    }
    if (!where.empty()) difference.where = in_world(where, identity.lattice);
    return difference;
}

}  // namespace quarry::terrain
