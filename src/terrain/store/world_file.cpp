#include "quarry/terrain/world_file.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/edit_world.hpp"
#include "terrain/edits/store.hpp"
#include "terrain/store/loader.hpp"
#include "terrain/store/world_database.hpp"

namespace quarry::terrain {
namespace store {

struct SaveResult {
    std::shared_ptr<const edits::Snapshot> in_file;  // what the file has now
    std::uint64_t edits = 0;
    std::string problem;  // empty: saved
};

// Lets go of the older snapshot here: that may free thousands of bricks.
static SaveResult save_batch(Writer& writer, const std::filesystem::path& file,
                             std::shared_ptr<const edits::Snapshot> before, std::shared_ptr<const edits::Snapshot> now,
                             std::uint64_t edits) {
    SaveResult result;
    try {
        writer.save(before.get(), *now, edits);
        result.edits = edits;
        before = std::move(now);
    } catch (const SqliteError& error) {
        result.problem = file_error(file, error).what();
    } catch (const std::exception& error) {
        result.problem = file_error(file, error.what()).what();
    }
    result.in_file = std::move(before);
    return result;
}

}  // namespace store

namespace {

using store::CellKey;
using Clock = std::chrono::steady_clock;

// A batch that could not be saved is tried again after this, or after the time of a batch if that is longer.
constexpr std::chrono::milliseconds kRetry{250};
// A box of more cells is taken for all that the file has within it.
constexpr double kMostCellsOfABox = 10'000;

}  // namespace

class WorldFile::Session final : public edits::BrickSource {
  public:
    Session(Pool& pool, edits::Store& world, std::filesystem::path file, const WorldFileOptions& options);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() override;

    void need(const edits::LatticeBox& box) override;
    std::span<const Box> update(std::span<const Position> near);
    void load(const Box& box);
    void load_all();
    bool save();
    WorldFileStats stats() const;

  private:
    std::uint64_t edits() const { return first_edit_ + world_.applied(); }
    void adopt(std::span<const CellKey> cells, std::span<const store::StoredBrick> bricks);
    void read_now(const CellKey& cell);
    std::vector<CellKey> list_cells();
    // Whatever the work throws is kept for stats, too.
    template <class Work>
    auto noting_damage(Work&& work) -> decltype(work()) {
        try {
            return work();
        } catch (const Error& error) {
            stats_.problem = error.what();
            stats_.is_damaged = true;
            throw;
        }
    }
    void load_within(const edits::LatticeBox& box);
    void take_loaded();
    void load_next(std::span<const Position> near);
    void finish_loading();
    void take_saved();
    // Of all that is not saved yet, if there is any.
    auto next_batch();
    void save_next();

    Pool& pool_;
    edits::Store& world_;
    const std::filesystem::path file_;
    const WorldFileOptions options_;
    std::uint64_t first_edit_ = 0;      // edits of earlier sessions
    std::uint64_t bricks_in_file_ = 0;  // when it was opened

    std::unique_ptr<store::Writer> writer_;  // of the job while there is one
    Task<store::SaveResult> saving_;
    std::shared_ptr<const edits::Snapshot> saved_;  // as the file has it, but for what was only loaded; of the job
    std::uint64_t saved_edits_ = 0;
    Clock::time_point next_batch_{};
    WorldFileStats stats_;

    std::unique_ptr<store::Reader> reader_;  // for what is needed at once
    std::shared_ptr<store::Loader> loader_;  // of the job while there is one
    Task<store::Piece> loading_;
    std::set<CellKey> done_;  // cells that have been loaded; empty once all have
    std::vector<Box> appeared_;
    std::vector<Box> reported_;
    std::vector<store::StoredBrick> bricks_;
};

WorldFile::Session::Session(Pool& pool, edits::Store& world, std::filesystem::path file,
                            const WorldFileOptions& options)
    : pool_(pool), world_(world), file_(std::move(file)), options_(options) {
    if (options.batch.count() < 0 || options.batch > std::chrono::minutes(1)) {
        throw std::invalid_argument("WorldFileOptions.batch is " + std::to_string(options.batch.count()) +
                                    " ms; 0 to 60000 is allowed");
    }
    const EditWorldStats before = world.stats();
    if (before.applied != 0 || before.bricks + before.paint_bricks != 0) {
        throw std::invalid_argument("WorldFile needs a world without edits; this one has " +
                                    std::to_string(before.applied));
    }
    pool.submit([] {}, {.lane = Lane::io});  // throws where there is no such lane
    const store::Identity identity{world.options().lattice, options.ground};
    store::Contents contents;
    if (options.read_only) {
        store::require(file_, identity);
        reader_ = std::make_unique<store::Reader>(file_);
        contents = reader_->contents();
    } else {
        writer_ = std::make_unique<store::Writer>(file_, identity);
        contents = writer_->contents();
    }
    first_edit_ = contents.edits;
    bricks_in_file_ = contents.bricks + contents.paint_bricks;
    saved_edits_ = contents.edits;
    stats_.is_loaded = bricks_in_file_ == 0;
    if (!stats_.is_loaded) {
        if (reader_ == nullptr) reader_ = std::make_unique<store::Reader>(file_);
        world_.set_source(this);
    }
}

WorldFile::Session::~Session() {
    try {
        if (writer_ != nullptr) save();
    } catch (...) {  // NOLINT(bugprone-empty-catch): it cannot be saved, and nobody is left to be told
    }
    if (saving_.valid()) saving_.wait();
    try {
        if (loading_.valid() && !loading_.cancel()) loading_.get();
    } catch (...) {  // NOLINT(bugprone-empty-catch): what was not loaded is not missed any more
    }
    world_.set_source(nullptr);
}

void WorldFile::Session::adopt(std::span<const CellKey> cells, std::span<const store::StoredBrick> bricks) {
    std::size_t next = 0;
    for (const CellKey& cell : cells) {
        const bool is_new = done_.insert(cell).second;
        const std::size_t first = next;
        for (; next < bricks.size() && store::cell_of(bricks[next].key) == cell; ++next) {
            if (!is_new) continue;
            const store::StoredBrick& brick = bricks[next];
            if (brick.density != nullptr) world_.adopt(brick.key, brick.density);
            if (brick.paint != nullptr) world_.adopt(brick.key, brick.paint);
            ++stats_.loaded_bricks;
        }
        if (!is_new || next == first) continue;
        const edits::LatticeBox box = store::box_of_cell(cell);
        const Lattice& lattice = world_.options().lattice;
        appeared_.push_back({lattice.at(box.low), lattice.at(box.high)});
    }
}

void WorldFile::Session::read_now(const CellKey& cell) {
    if (done_.contains(cell)) return;
    bricks_.clear();
    noting_damage([&] { reader_->read(cell, bricks_); });
    adopt(std::span(&cell, 1), bricks_);
}

void WorldFile::Session::need(const edits::LatticeBox& box) {
    if (!stats_.is_loaded) load_within(box);
}

void WorldFile::Session::load_within(const edits::LatticeBox& box) {
    const CellKey low = store::cell_of(edits::key_of(box.low));
    const CellKey high = store::cell_of(edits::key_of(box.high));
    const auto count = [](std::int32_t from, std::int32_t to) { return static_cast<double>(to) - from + 1; };
    if (count(low.x, high.x) * count(low.y, high.y) * count(low.z, high.z) > kMostCellsOfABox) {
        for (const CellKey& cell : list_cells()) {
            if (cell.x >= low.x && cell.x <= high.x && cell.y >= low.y && cell.y <= high.y && cell.z >= low.z &&
                cell.z <= high.z) {
                read_now(cell);
            }
        }
        return;
    }
    for (std::int32_t z = low.z; z <= high.z; ++z) {
        for (std::int32_t y = low.y; y <= high.y; ++y) {
            for (std::int32_t x = low.x; x <= high.x; ++x) read_now({z, y, x});
        }
    }
}

void WorldFile::Session::load(const Box& box) {
    if (!stats_.is_loaded) load_within(edits::points_around(box, world_.options().lattice));
}

std::vector<CellKey> WorldFile::Session::list_cells() {
    return noting_damage([&] { return reader_->cells(); });
}

void WorldFile::Session::load_all() {
    if (stats_.is_loaded) return;
    for (const CellKey& cell : list_cells()) read_now(cell);
    noting_damage([&] { finish_loading(); });
}

void WorldFile::Session::finish_loading() {
    // Each cell was taken over as it was when the file was opened: nobody else writes it. Those who only read may have
    // seen some of it earlier and some of it later.
    if (writer_ != nullptr && stats_.loaded_bricks != bricks_in_file_) {
        throw store::file_error(
            file_, "is damaged: " + std::to_string(bricks_in_file_ - stats_.loaded_bricks) + " bricks are missing");
    }
    stats_.is_loaded = true;
    world_.set_source(nullptr);
    done_.clear();
    if (!loading_.valid()) loader_ = nullptr;
    reader_ = nullptr;
}

void WorldFile::Session::take_loaded() {
    if (!loading_.valid() || !loading_.ready()) return;
    try {
        const store::Piece piece = loading_.get();
        if (stats_.is_loaded) {
            loader_ = nullptr;
            return;
        }
        adopt(piece.cells, piece.bricks);
        if (piece.is_last) finish_loading();
    } catch (const Error& error) {
        stats_.problem = error.what();
        stats_.is_damaged = true;
    }
}

void WorldFile::Session::load_next(std::span<const Position> near) {
    if (stats_.is_loaded || stats_.is_damaged || loading_.valid()) return;
    auto job = [this, places = std::vector<Position>(near.begin(), near.end())] {
        if (loader_ == nullptr) loader_ = std::make_shared<store::Loader>(file_, world_.options().lattice);
        return loader_->next(places);
    };
    if (auto task = pool_.try_submit(std::move(job), {.lane = Lane::io})) loading_ = std::move(*task);
}

void WorldFile::Session::take_saved() {
    if (!saving_.valid() || !saving_.ready()) return;
    const store::SaveResult result = saving_.get();
    saved_ = result.in_file;
    if (result.problem.empty()) {
        saved_edits_ = result.edits;
        ++stats_.batches;
        if (!stats_.is_damaged) stats_.problem.clear();
    } else {
        ++stats_.failures;
        stats_.problem = result.problem;
        next_batch_ = Clock::now() + std::max(kRetry, options_.batch);
    }
}

auto WorldFile::Session::next_batch() {
    return [this, before = saved_, now = world_.snapshot(), edits = edits()]() mutable {
        return store::save_batch(*writer_, file_, std::move(before), std::move(now), edits);
    };
}

void WorldFile::Session::save_next() {
    if (writer_ == nullptr || stats_.is_damaged || saving_.valid() || edits() == saved_edits_) return;
    if (auto task = pool_.try_submit(next_batch(), {.lane = Lane::io})) {
        saving_ = std::move(*task);
        saved_ = nullptr;  // the job has it
        next_batch_ = Clock::now() + options_.batch;
    }
}

std::span<const Box> WorldFile::Session::update(std::span<const Position> near) {
    take_loaded();
    load_next(near);
    take_saved();
    if (Clock::now() >= next_batch_) save_next();
    reported_.swap(appeared_);
    appeared_.clear();
    return reported_;
}

bool WorldFile::Session::save() {
    if (saving_.valid()) saving_.wait();
    take_saved();
    if (writer_ != nullptr && !stats_.is_damaged && edits() != saved_edits_) {
        saving_ = pool_.submit(next_batch(), {.lane = Lane::io});
        saved_ = nullptr;  // the job has it
        saving_.wait();
        take_saved();
    }
    if (writer_ == nullptr && edits() != saved_edits_) stats_.problem = file_.string() + ": was opened to be read only";
    return edits() == saved_edits_;
}

WorldFileStats WorldFile::Session::stats() const {
    WorldFileStats stats = stats_;
    stats.edits = edits();
    stats.saved = saved_edits_;
    return stats;
}

WorldFile::WorldFile(Pool& pool, EditWorld& world, std::filesystem::path file, const WorldFileOptions& options)
    : session_(std::make_unique<Session>(pool, *world.store_, std::move(file), options)) {}
WorldFile::~WorldFile() = default;

std::span<const Box> WorldFile::update(std::span<const Position> near) {
    return session_->update(near);
}
void WorldFile::load(const Box& box) {
    session_->load(box);
}
void WorldFile::load_all() {
    session_->load_all();
}
bool WorldFile::save() {
    return session_->save();
}
WorldFileStats WorldFile::stats() const {
    return session_->stats();
}

}  // namespace quarry::terrain
