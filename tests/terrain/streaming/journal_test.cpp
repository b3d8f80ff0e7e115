#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/frame/virtual_clock.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/edit_world.hpp"
#include "quarry/terrain/edited_field.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/streamer_journal.hpp"
#include "terrain/streaming/engine.hpp"
#include "terrain/streaming/pool_jobs.hpp"
#include "tests/terrain/streaming/scripted_host.hpp"
#include "tests/terrain/support.hpp"

namespace quarry::terrain::streaming {
namespace {

using Mode = StreamerJournal::Mode;

// Workers who begin and end what they like whenever one looks.
class MoodyJobs final : public MeshJobs {
  public:
    explicit MoodyJobs(std::uint64_t number) : random_(number) {}

    void submit(MeshJob job, double) override { waiting_.push_back(std::move(job)); }
    bool cancel(ChunkId id) override {
        return std::erase_if(waiting_, [&](const MeshJob& job) { return job.id == id; }) != 0;
    }
    void reorder(const Rank&) override {}
    void collect(std::vector<ChunkId>& begun, std::vector<MeshOutcome>& outcomes) override {
        for (int i = random_.integer(0, 9); i > 0; --i) begin();
        for (int i = random_.integer(0, 9); i > 0; --i) end();
        begun.insert(begun.end(), begun_.begin(), begun_.end());
        begun_.clear();
        for (MeshOutcome& outcome : ended_) outcomes.push_back(std::move(outcome));
        ended_.clear();
    }
    std::size_t queued() const override { return waiting_.size(); }
    void wait_for_outcome(std::chrono::nanoseconds) override {
        begin();
        end();
    }

  private:
    template <class List>
    auto any_of(List& list) {
        return list.begin() + random_.integer(0, static_cast<std::int32_t>(list.size()) - 1);
    }
    void begin() {
        if (waiting_.empty()) return;
        const auto job = any_of(waiting_);
        begun_.push_back(job->id);
        running_.push_back(std::move(*job));
        waiting_.erase(job);
    }
    void end() {
        if (running_.empty()) return;
        const auto job = any_of(running_);
        // It holds on to what it has been given for as long as it runs.
        ended_.push_back(run(std::move(*job)));
        running_.erase(job);
    }

    Random random_;
    std::vector<MeshJob> waiting_;
    std::vector<MeshJob> running_;
    std::vector<ChunkId> begun_;
    std::vector<MeshOutcome> ended_;
};

struct RecordedFrame {
    std::vector<std::byte> journal;
    std::uint64_t states = 0;
    std::uint64_t events = 0;
};

std::shared_ptr<const Field> journal_hills(std::uint64_t seed = 3) {
    return std::make_shared<NoiseField>(NoiseOptions{.seed = seed, .frequency = 0.03, .amplitude = 20});
}

// A flight whose host does the same in each run: it moves, jumps, digs and changes options.
class JournaledFlight {
  public:
    using MakeEngine =
        std::function<std::unique_ptr<Engine>(std::shared_ptr<const Field> field, const StreamerOptions& options)>;

    JournaledFlight(Mode mode, const MakeEngine& make, const VirtualClock* clock, std::uint64_t seed = 3)
        : journal_(mode), world_(journal_hills(seed)) {
        StreamerOptions options = ScriptedStreamer::small_options();
        options.clock = clock;
        options.journal = &journal_;
        // So few that meshes come and go.
        options.cache_bytes = 200'000;
        engine_ = make(world_.field(), options);
    }

    RecordedFrame frame(int number, const DeliveryBudget& budget, const std::function<void()>& on_event) {
        if (number % 3 == 0) dig(number);
        if (number == kFrames * 2 / 3) exchange();
        const double along = number < kFrames / 2 ? number * 6.0 : (kFrames - number) * 6.0;
        const double jump = number % 40 > 35 ? 300 : 0;
        engine_->update(std::vector<Viewer>{{.position = {along + jump, 5, 0}, .direction = {1, 0, 0}}});
        std::uint64_t events = 0;
        const auto take = [&](StreamEvent& event) {
            for (const std::uint64_t part : {static_cast<std::uint64_t>(event.kind), std::uint64_t{event.id.slot},
                                             std::uint64_t{event.mask}, std::uint64_t{event.chunks.size()}, event.group,
                                             event.edits, event.mesh != nullptr ? content_hash(*event.mesh) : 0}) {
                events = (events ^ part) * 0x9e3779b97f4a7c15u;
            }
            host_(event);
            on_event();
        };
        engine_->deliver(budget, {&take, [](void* function, StreamEvent& event) {
                                      (*static_cast<decltype(take)*>(function))(event);
                                  }});
        return {journal_.mode() == Mode::record ? journal_.take() : std::vector<std::byte>(), engine_->state_hash(),
                events};
    }

    StreamerJournal& journal() { return journal_; }
    const StreamerStats stats() const { return engine_->stats(); }

    static constexpr int kFrames = 72;

  private:
    void dig(int number) {
        const EditReport report = world_.apply(
            {.kind = EditKind::dig, .at = {number * 5.0, 0, 0}, .radius = static_cast<float>(3 + number % 5)});
        if (report.any()) engine_->edit(world_.field(), nullptr, report.changed);
    }
    void exchange() {
        StreamerOptions options = engine_->options();
        options.lod_distance = 30;
        engine_->exchange(nullptr, options);
    }

    StreamerJournal journal_;
    EditWorld world_;
    SuspiciousHost host_;
    std::unique_ptr<Engine> engine_;
};

JournaledFlight::MakeEngine moody(std::uint64_t number) {
    return [number](std::shared_ptr<const Field> field, const StreamerOptions& options) {
        return std::make_unique<Engine>(std::make_unique<MoodyJobs>(number), std::move(field), options);
    };
}

// Each event takes so long, by a clock of its own.
std::vector<RecordedFrame> recorded_flight(std::uint64_t number, StreamerStats& stats) {
    VirtualClock clock;
    JournaledFlight flight(Mode::record, moody(number), &clock);
    Random random(number);
    std::vector<RecordedFrame> frames;
    for (int i = 0; i < JournaledFlight::kFrames; ++i) {
        frames.push_back(flight.frame(i, std::chrono::microseconds(200),
                                      [&] { clock += std::chrono::microseconds(random.integer(1, 60)); }));
    }
    stats = flight.stats();
    return frames;
}

// The first frame in which the replay differs, and why; -1: none.
std::pair<int, std::string> replayed_flight(const std::vector<RecordedFrame>& frames, std::uint64_t number,
                                            std::uint64_t seed = 3) {
    VirtualClock clock;
    JournaledFlight flight(Mode::replay, moody(number), &clock, seed);
    for (int i = 0; i < JournaledFlight::kFrames; ++i) {
        const RecordedFrame& recorded = frames[static_cast<std::size_t>(i)];
        flight.journal().give(recorded.journal);
        try {
            // Another budget: the time that was is what counts.
            const RecordedFrame again = flight.frame(i, std::chrono::seconds(1), [] {});
            if (!flight.journal().is_used_up()) return {i, "not used up"};
            if (again.states != recorded.states) return {i, "states"};
            if (again.events != recorded.events) return {i, "events"};
        } catch (const ReplayError& error) {
            return {i, error.what()};
        }
    }
    return {-1, ""};
}

TEST(StreamerJournal, ReplayComesToTheSameStatesWhateverWorkersDo) {
    SCOPED_TRACE(seed_text());
    std::uint64_t cancelled = 0;
    std::uint64_t stale = 0;
    std::uint64_t cache_hits = 0;
    // Three, and more where chance has left something out.
    const auto all_happened = [&] { return cancelled > 0 && stale > 0 && cache_hits > 0; };
    for (std::uint64_t number = 1; number <= 3 || (number <= 20 && !all_happened()); ++number) {
        StreamerStats stats;
        const std::vector<RecordedFrame> frames = recorded_flight(number, stats);
        EXPECT_GT(stats.edits_shown, 5u);
        cancelled += stats.cancelled;
        stale += stats.stale;
        cache_hits += stats.cache_hits;
        const auto [frame, why] = replayed_flight(frames, 100 + number);
        EXPECT_EQ(frame, -1) << why;
    }
    EXPECT_TRUE(all_happened()) << cancelled << " cancelled, " << stale << " stale, " << cache_hits
                                << " from the cache";
}

TEST(StreamerJournal, AnotherFieldIsFoundInTheFirstFrameThatDiffers) {
    StreamerStats stats;
    const std::vector<RecordedFrame> frames = recorded_flight(1, stats);
    const auto [frame, why] = replayed_flight(frames, 2, 4);
    EXPECT_EQ(frame, 0) << why;
}

// Whatever byte is wrong: the replay ends, and says in which frame.
TEST(StreamerJournal, ADamagedJournalIsFoundOrChangesNothing) {
    SCOPED_TRACE(seed_text());
    StreamerStats stats;
    const std::vector<RecordedFrame> frames = recorded_flight(1, stats);
    Random random(9);
    int found = 0;
    for (int i = 0; i < 8; ++i) {
        std::vector<RecordedFrame> damaged = frames;
        const int at = random.integer(0, JournaledFlight::kFrames - 1);
        std::vector<std::byte>& journal = damaged[static_cast<std::size_t>(at)].journal;
        if (journal.empty()) continue;
        const auto place = static_cast<std::size_t>(random.integer(0, static_cast<std::int32_t>(journal.size()) - 1));
        if (i % 4 == 0) {
            journal.resize(place);
        } else {
            journal[place] ^= static_cast<std::byte>(1 << random.integer(0, 7));
        }
        const auto [frame, why] = replayed_flight(damaged, 2);
        EXPECT_TRUE(frame == -1 || frame >= at) << frame << " before " << at << ": " << why;
        found += frame >= 0 ? 1 : 0;
    }
    EXPECT_GT(found, 3);
}

// When a worker lets go of a mesh is no matter of what becomes of it.
TEST(StreamerJournal, AMeshThatAWorkerStillHasIsHeldByNobodyElse) {
    HeldMesh held;
    EXPECT_FALSE(held.is_held_by_nobody_else());
    auto mesh = std::make_shared<KeptMesh>();
    const std::shared_ptr<KeptMesh> of_a_worker = mesh;
    held = mesh;
    EXPECT_TRUE(held.is_held_by_nobody_else());
    HeldMesh other;
    other = mesh;
    EXPECT_FALSE(held.is_held_by_nobody_else());
    HeldMesh moved = std::move(other);
    EXPECT_FALSE(held.is_held_by_nobody_else());
    moved.reset();
    EXPECT_TRUE(held.is_held_by_nobody_else());
    held = HeldMesh();
    EXPECT_EQ(mesh->held, 0u);
}

// With real workers, and an update that waits for edits next to a viewer.
TEST(StreamerJournal, ReplayOnAnotherNumberOfWorkersComesToTheSameStates) {
    for (const auto& [recording, replaying] : {std::pair{1, 4}, std::pair{4, 1}}) {
        std::vector<RecordedFrame> frames;
        Pool pool(recording);
        const auto streamed = [](Pool& on) {
            return [&on](std::shared_ptr<const Field> field, StreamerOptions options) {
                options.host.emplace();
                auto jobs = std::make_unique<PoolJobs>(on, options.lane, options.pending, *options.host);
                return std::make_unique<Engine>(std::move(jobs), std::move(field), options);
            };
        };
        {
            JournaledFlight flight(Mode::record, streamed(pool), nullptr);
            for (int i = 0; i < JournaledFlight::kFrames; ++i) {
                frames.push_back(flight.frame(i, std::chrono::microseconds(300), [] {}));
            }
            EXPECT_GT(flight.stats().edits_shown, 10u);
        }
        Pool other(replaying);
        JournaledFlight flight(Mode::replay, streamed(other), nullptr);
        for (int i = 0; i < JournaledFlight::kFrames; ++i) {
            const RecordedFrame& recorded = frames[static_cast<std::size_t>(i)];
            flight.journal().give(recorded.journal);
            const RecordedFrame again = flight.frame(i, std::chrono::microseconds(300), [] {});
            ASSERT_TRUE(flight.journal().is_used_up()) << "frame " << i;
            ASSERT_EQ(again.states, recorded.states) << "frame " << i;
            ASSERT_EQ(again.events, recorded.events) << "frame " << i;
        }
    }
}

}  // namespace
}  // namespace quarry::terrain::streaming
