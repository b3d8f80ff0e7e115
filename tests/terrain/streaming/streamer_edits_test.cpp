// What is shown follows edits: all that they touch at once, while everything else goes on.
#include <chrono>
#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/edit_world.hpp"
#include "quarry/terrain/edited_field.hpp"
#include "quarry/terrain/edited_materials.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "tests/terrain/streaming/edited_streamer.hpp"

namespace quarry::terrain::streaming {
namespace {

TEST(StreamerEdits, AllThatAnEditTouchesIsExchangedInOneDelivery) {
    EditedStreamer streamer(rolling());
    const std::vector<Viewer> viewers{from(0, 5, 0)};
    streamer.scripted.settle(viewers);
    streamer.dig({16, 0, 8}, 9);
    EXPECT_FALSE(streamer.scripted.engine->at_rest());
    EXPECT_FALSE(streamer.scripted.engine->ready_around({0, 0, 0}, 10));
    streamer.scripted.update(viewers);
    const std::size_t jobs = streamer.scripted.jobs->queued();
    EXPECT_GT(jobs, 8u);
    const std::size_t uploads = streamer.scripted.host.uploads;
    // Nothing is shown before the last one is there.
    while (streamer.scripted.jobs->queued() > 1) {
        streamer.scripted.jobs->begin();
        streamer.scripted.jobs->end();
        streamer.scripted.deliver();
        ASSERT_EQ(streamer.scripted.host.uploads, uploads);
    }
    streamer.scripted.jobs->run_all();
    streamer.scripted.deliver();
    EXPECT_EQ(streamer.scripted.host.changes.size(), 1u);
    EXPECT_EQ(streamer.scripted.engine->stats().edit_swaps, 1u);
    EXPECT_EQ(streamer.scripted.engine->stats().edits_in_frame, 1u);
    streamer.expect_up_to_date();
    streamer.scripted.settle(viewers);
    streamer.scripted.check_closed();
}

TEST(StreamerEdits, AChunkIsMadeOnceForAllEditsOfAFrame) {
    EditedStreamer streamer(rolling());
    const std::vector<Viewer> viewers{from(0, 5, 0)};
    streamer.scripted.settle(viewers);
    const std::uint64_t before = streamer.scripted.engine->stats().requested;
    for (int i = 0; i < 20; ++i) streamer.dig({4 + 0.1 * i, 0, 4}, 2);
    streamer.scripted.update(viewers);
    const std::uint64_t first = streamer.scripted.engine->stats().requested - before;
    EXPECT_LE(first, 27u);
    // Edits that come while these are made wait for the next swap.
    for (int i = 0; i < 20; ++i) streamer.dig({4 + 0.1 * i, -3, 4}, 2);
    streamer.scripted.update(viewers);
    EXPECT_EQ(streamer.scripted.engine->stats().requested - before, first);
    streamer.scripted.settle(viewers);
    EXPECT_EQ(streamer.scripted.host.edits, 40u);
    EXPECT_EQ(streamer.scripted.host.changes.size(), 2u);
    streamer.expect_up_to_date();
}

TEST(StreamerEdits, ADigIntoWhatBoundsHadRejectedAppearsWithTheRest) {
    EditedStreamer streamer(std::make_shared<PlaneField>(Position{0, 4, 0}, Position{0, 1, 0}));
    const std::vector<Viewer> viewers{from(0, 12, 0)};
    streamer.scripted.settle(viewers);
    const std::size_t visible = streamer.scripted.host.visible();
    streamer.apply(
        {.kind = EditKind::dig, .shape = BrushShape::capsule, .at = {4, 6, 4}, .extent = {0, -24, 0}, .radius = 3});
    streamer.scripted.update(viewers);
    streamer.scripted.jobs->run_all();
    streamer.scripted.deliver();
    EXPECT_EQ(streamer.scripted.host.changes.size(), 1u);
    EXPECT_GT(streamer.scripted.host.visible(), visible + 2);
    streamer.expect_up_to_date();
    streamer.scripted.check_closed();
    streamer.scripted.settle(viewers);
    streamer.scripted.check_closed();
    streamer.expect_up_to_date();
}

TEST(StreamerEdits, MeshesThatAreKeptForLaterAreForgottenWhereTheyAreTouched) {
    EditedStreamer streamer(rolling());
    streamer.scripted.settle({from(0, 5, 0)});
    streamer.scripted.settle({from(700, 5, 0)});
    EXPECT_GT(streamer.scripted.engine->stats().cached_bytes, 0u);
    streamer.dig({2, 0, 2}, 8);
    streamer.scripted.settle({from(700, 5, 0)});
    streamer.scripted.settle({from(0, 5, 0)});
    EXPECT_GT(streamer.scripted.engine->stats().cache_hits, 0u);
    streamer.expect_up_to_date();
}

// Edits at any time, results in any order, viewers on their way: no frame has a crack, and in the end all is as it is.
TEST(StreamerEdits, DuringChangesOfLodNoFrameHasACrack) {
    Random random(541);
    SCOPED_TRACE(seed_text());
    for (int round = 0; round < 3; ++round) {
        EditedStreamer streamer(rolling());
        double x = 0;
        streamer.scripted.settle({from(x, 5, 0)});
        for (int frame = 0; frame < 150; ++frame) {
            x += random.real(0, 3);
            if (random.integer(0, 2) == 0) {
                streamer.apply({.kind = static_cast<EditKind>(random.integer(0, 4)),
                                .stroke = static_cast<std::uint32_t>(frame / 10),
                                .at = {x + random.real(-60, 60), random.real(-15, 15), random.real(-60, 60)},
                                .radius = static_cast<float>(random.real(1, 12)),
                                .amount = 2});
            }
            if (random.integer(0, 20) == 0) {
                if (const auto undo = streamer.world.undo_of(0)) streamer.apply(*undo);
            }
            streamer.scripted.update({from(x, 5, 0)});
            for (int i = random.integer(0, 40); i > 0; --i)
                streamer.scripted.jobs->begin(static_cast<std::size_t>(random.integer(0, 1000)));
            for (int i = random.integer(0, 40); i > 0; --i)
                streamer.scripted.jobs->end(static_cast<std::size_t>(random.integer(0, 1000)));
            streamer.scripted.deliver(random.integer(0, 1) == 0 ? DeliveryBudget::everything()
                                                                : DeliveryBudget(std::chrono::hours(1), 5));
            if (frame % 10 == 0 && streamer.scripted.engine->shown().missing.empty()) streamer.scripted.check_closed();
            if (testing::Test::HasFailure()) FAIL() << "round " << round << ", frame " << frame;
        }
        streamer.scripted.settle({from(x, 5, 0)});
        streamer.scripted.check_closed();
        streamer.expect_up_to_date();
        EXPECT_EQ(streamer.scripted.host.size(), streamer.scripted.host.visible());
    }
}

// A field that throws in one place.
class Trap final : public Field {
  public:
    void densities(std::span<const Position> points, std::span<float> out) const override {
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (points[i] == Position{5, 1, 5}) throw std::runtime_error("a trap");
            out[i] = static_cast<float>(points[i].y) - 0.5F;
        }
    }
    Interval bounds(const Box& box) const override {
        return {static_cast<float>(box.low.y) - 0.5F, static_cast<float>(box.high.y) - 0.5F};
    }
    void gradients(std::span<const Position>, double, std::span<Gradient> out) const override {
        std::fill(out.begin(), out.end(), Gradient{0, 1, 0});
    }
};

TEST(StreamerEdits, WhereAChunkCannotBeMadeWhatIsShownStays) {
    ScriptedStreamer streamer(std::make_shared<PlaneField>(Position{0, 0.5, 0}, Position{0, 1, 0}));
    const std::vector<Viewer> viewers{from(0, 5, 0)};
    streamer.settle(viewers);
    const std::size_t visible = streamer.host.visible();
    streamer.engine->edit(std::make_shared<Trap>(), nullptr, {{3, -3, 3}, {13, 3, 13}});
    streamer.settle(viewers);
    EXPECT_EQ(streamer.errors.size(), 1u);
    EXPECT_EQ(streamer.host.visible(), visible);
    EXPECT_EQ(streamer.host.edits, 1u);
}

TEST(StreamerEdits, PaintReachesTheMeshes) {
    EditWorld world(std::make_shared<PlaneField>(Position{0, 0.5, 0}, Position{0, 1, 0}));
    const auto below = std::make_shared<LayeredMaterials>(1);
    StreamerOptions options = ScriptedStreamer::small_options();
    options.materials = world.materials(below);
    ScriptedStreamer streamer(world.field(), options);
    const std::vector<Viewer> viewers{from(0, 5, 0)};
    streamer.settle(viewers);
    const EditReport report = world.apply({.kind = EditKind::paint, .material = 2, .at = {3, 0, 3}, .radius = 4});
    streamer.engine->edit(world.field(), world.materials(below), report.changed);
    streamer.settle(viewers);
    std::size_t painted = 0;
    streamer.host.for_each_visible([&](const ChunkKey&, std::uint32_t, const Mesh& mesh) {
        for (const MaterialWeights& weights : mesh.materials) painted += weights.of[2] == 255 ? 1 : 0;
    });
    EXPECT_GT(painted, 20u);
}

TEST(StreamerEdits, RefusesWhatIsNoEdit) {
    ScriptedStreamer streamer(rolling());
    EXPECT_NE(refusal_of([&] { streamer.engine->edit(nullptr, nullptr, {}); }).find("needs a field"),
              std::string::npos);
    for (const Box& bad :
         {Box{{kNan, 0, 0}, {1, 1, 1}}, Box{{0, 0, 0}, {1, kInfinite, 1}}, Box{{0, 2, 0}, {1, 1, 1}}}) {
        EXPECT_NE(refusal_of([&] { streamer.engine->edit(rolling(), nullptr, bad); }).find("the box of an edit"),
                  std::string::npos);
    }
    StreamerOptions options = ScriptedStreamer::small_options();
    options.edit_wait = -1;
    EXPECT_NE(refusal_of([&] { ScriptedStreamer other(rolling(), options); }).find("edit_wait"), std::string::npos);
}

void come_to_rest(Streamer& streamer, const Viewer& viewer, SuspiciousHost& host) {
    do {
        streamer.update(viewer);
        streamer.inbox().deliver(DeliveryBudget::everything(), host);
    } while (!streamer.at_rest());
}

TEST(StreamerEdits, NearAViewerTheFrameThatEditsShowsTheEdit) {
    Pool pool(2);
    EditWorld world(rolling());
    StreamerOptions options = ScriptedStreamer::small_options();
    options.edit_wait = 1;  // whatever else the machine is at
    Streamer streamer(pool, world.field(), options);
    SuspiciousHost host;
    const Viewer viewer = from(0, 5, 0);
    come_to_rest(streamer, viewer, host);
    for (int i = 0; i < 20; ++i) {
        const EditReport report = world.apply({.kind = EditKind::dig, .at = {0.5 * i, 0, 4}, .radius = 8});
        streamer.edit(world.field(), report.changed);
        streamer.update(viewer);
        streamer.inbox().deliver(DeliveryBudget::everything(), host);
        ASSERT_EQ(host.edits, static_cast<std::uint64_t>(i) + 1);
    }
    EXPECT_EQ(streamer.stats().edits_in_frame, 20u);
}

TEST(StreamerEdits, HowLongAnUpdateWaitsCanBeSetForTheNextOnes) {
    Pool pool(1);
    EditWorld world(rolling());
    StreamerOptions options = ScriptedStreamer::small_options();
    options.edit_wait = 0;
    Streamer streamer(pool, world.field(), options);
    SuspiciousHost host;
    const Viewer viewer = from(0, 5, 0);
    come_to_rest(streamer, viewer, host);
    EXPECT_NE(refusal_of([&] { streamer.set_edit_wait(-1); }).find("edit_wait"), std::string::npos);
    EXPECT_NE(refusal_of([&] { streamer.set_edit_wait(kNan); }).find("edit_wait"), std::string::npos);
    streamer.set_edit_wait(1);
    EXPECT_EQ(streamer.options().edit_wait, 1);
    const EditReport report = world.apply({.kind = EditKind::dig, .at = {0, 0, 4}, .radius = 8});
    streamer.edit(world.field(), report.changed);
    streamer.update(viewer);
    streamer.inbox().deliver(DeliveryBudget::everything(), host);
    EXPECT_EQ(streamer.stats().edits_in_frame, 1u);
}

}  // namespace
}  // namespace quarry::terrain::streaming
