// Random flights with random edits: what is shown is right in every frame, and what it should be in the end.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "terrain/streaming/keys.hpp"
#include "tests/terrain/streaming/edited_streamer.hpp"

namespace quarry::terrain::streaming {
namespace {

// What is drawn, place by place: its mask and its hash. Towards places where nothing is drawn masks may differ, so only
// hashes of equal masks are compared: that masks fit what is drawn is checked in every frame.
using Drawn = std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>,
                       std::pair<std::uint32_t, std::uint64_t>>;

Drawn drawn_by(const SuspiciousHost& host) {
    Drawn drawn;
    host.for_each_visible([&](const ChunkKey& key, std::uint32_t mask, const Mesh& mesh) {
        drawn[{key.lod, key.x, key.y, key.z}] = {mask, content_hash(mesh)};
    });
    return drawn;
}

void expect_equal(const Drawn& a, const Drawn& b) {
    std::size_t different = 0;
    std::string first;
    const auto compare = [&](const Drawn& one, const Drawn& other, const char* what) {
        for (const auto& [key, mesh] : one) {
            const auto found = other.find(key);
            if (found != other.end() && (found->second.first != mesh.first || found->second == mesh)) continue;
            if (different++ > 6) continue;
            first += found == other.end() ? what : " another mesh at ";
            const auto [lod, x, y, z] = key;
            for (const std::int32_t part : {lod, x, y, z}) first += std::to_string(part) + " ";
        }
    };
    compare(a, b, " only in the first ");
    compare(b, a, " only in the second ");
    EXPECT_EQ(different, 0u) << first;
}

// With these the plan depends on where the viewers are, and on nothing that was before.
StreamerOptions without_memory() {
    StreamerOptions options = ScriptedStreamer::small_options();
    options.hysteresis = 0;
    options.lod_distance = 30;
    return options;
}

Edit random_edit(Random& random, const Position& around) {
    const auto beside = [&](double at, double reach) { return at + random.real(-reach, reach); };
    Edit edit{.kind = static_cast<EditKind>(random.integer(0, 4)),
              .shape = static_cast<BrushShape>(random.integer(0, 2)),
              .at = {beside(around.x, 90), random.real(-70, 70), beside(around.z, 90)},
              .extent = {static_cast<float>(random.real(1, 6)), static_cast<float>(random.real(1, 50)),
                         static_cast<float>(random.real(1, 6))},
              .radius = static_cast<float>(random.real(1, 8)),
              .amount = 2};
    if (random.integer(0, 1) == 0) edit.at.x = beside(around.x, 15);
    return edit;
}

bool lies_in(ChunkKey key, const std::vector<ChunkKey>& places, std::int32_t max_lod) {
    for (; key.lod <= max_lod; key = parent_of(key)) {
        if (std::find(places.begin(), places.end(), key) != places.end()) return true;
    }
    return false;
}

bool holds_one_of(const ChunkKey& key, const std::vector<ChunkKey>& places) {
    return std::any_of(places.begin(), places.end(),
                       [&](const ChunkKey& place) { return lies_in(place, {key}, key.lod); });
}

// A streamer that is flown about and edited. Workers do a random part of their work in each frame, in any order.
struct EditedFlight {
    EditedFlight(const Random& chances, std::shared_ptr<const Field> ground, const StreamerOptions& options)
        : random(chances), streamer(std::move(ground), options) {
        streamer.scripted.update(viewers);
    }

    void frame() {
        const bool moves = random.integer(0, 2) == 0;
        if (moves) move();
        for (int i = random.integer(-2, 2); i > 0; --i) edit();
        const std::vector<ChunkKey> missing = streamer.scripted.engine->shown().missing;
        streamer.scripted.update(viewers);
        work();
        streamer.scripted.deliver(random.integer(0, 1) == 0 ? DeliveryBudget::everything()
                                                            : DeliveryBudget(std::chrono::hours(1), 5));
        if (moves) return;
        // Where nobody has moved, an edit is all that can change the plan: and it makes nothing missing. But a node of
        // which a part was missing may be hidden, after an earlier move, to let others go on (World::give_way).
        for (const ChunkKey& key : streamer.scripted.engine->shown().missing) {
            ASSERT_TRUE(lies_in(key, missing, 4) || holds_one_of(key, missing))
                << key.lod << ": " << key.x << ", " << key.y << ", " << key.z;
        }
    }
    void move() {
        Position& at = viewers.front().position;
        const bool jumps = random.integer(0, 25) == 0;
        at = {at.x + random.real(0, jumps ? 120 : 5), random.real(-20, 20), at.z + random.real(-2, 2)};
        if (random.integer(0, 40) == 0) viewers.push_back(from(at.x + 40, 0, at.z));
        if (viewers.size() > 2) viewers.resize(1);
    }
    void edit() {
        Edit edit = random_edit(random, viewers.front().position);
        if (at_lines && random.integer(0, 1) == 0) move_to_a_line(edit);
        edits.push_back(edit);
        streamer.apply(edit);
    }
    // A small edit by a line where chunks of 32 cells meet, far enough for coarse ones.
    void move_to_a_line(Edit& edit) {
        const auto near_a_line = [&](double at) {
            return std::round((at + random.real(-300, 300)) / 128) * 128 + random.real(-1, 1);
        };
        edit.shape = BrushShape::sphere;
        edit.radius = static_cast<float>(random.real(0.6, 2));
        edit.at = {near_a_line(edit.at.x), random.real(-14, 14), near_a_line(edit.at.z)};
    }
    void work() {
        for (int i = random.integer(0, 60); i > 0; --i) {
            streamer.scripted.jobs->begin(static_cast<std::size_t>(random.integer(0, 1000)));
        }
        for (int i = random.integer(0, 60); i > 0; --i) {
            streamer.scripted.jobs->end(static_cast<std::size_t>(random.integer(0, 1000)));
        }
    }

    Random random;
    EditedStreamer streamer;
    std::vector<Viewer> viewers{from(0, 5, 0)};
    std::vector<Edit> edits;
    bool at_lines = false;
};

// Two, or as many as a soak says.
std::uint64_t flights() {
    const char* const text = std::getenv("QUARRY_SOAK_FLIGHTS");  // NOLINT(concurrency-mt-unsafe)
    return text == nullptr ? 2 : std::stoull(text);
}

void fly_and_compare(const Random& chances, const std::shared_ptr<const Field>& ground,
                     const StreamerOptions& options = without_memory(), int frames = 120) {
    EditedFlight flight(chances, ground, options);
    flight.at_lines = options.cells == 32;
    for (int frame = 0; frame < frames && !testing::Test::HasFailure(); ++frame) flight.frame();
    ASSERT_FALSE(testing::Test::HasFailure());
    flight.streamer.scripted.settle(flight.viewers);
    flight.streamer.scripted.check_closed();
    flight.streamer.expect_up_to_date();
    // As a streamer that was made later sees it.
    EditWorld world(ground);
    for (const Edit& edit : flight.edits) world.apply(edit);
    ScriptedStreamer fresh(world.field(), options);
    fresh.settle(flight.viewers);
    expect_equal(drawn_by(flight.streamer.scripted.host), drawn_by(fresh.host));
    const StreamerStats stats = flight.streamer.scripted.engine->stats();
    EXPECT_EQ(flight.streamer.scripted.host.edits, stats.edits_shown);
    EXPECT_EQ(flight.streamer.scripted.host.size(), flight.streamer.scripted.host.visible());
}

TEST(StreamerEditsFlight, OverHillsIsRightInEveryFrameAndLikeAFreshWorldInTheEnd) {
    SCOPED_TRACE(seed_text());
    for (std::uint64_t number = 600; number < 600 + flights() && !testing::Test::HasFailure(); ++number) {
        SCOPED_TRACE(number);
        fly_and_compare(Random(number), rolling());
    }
}

// Nearly all of it is empty by bounds: most edits open places.
TEST(StreamerEditsFlight, OverAPlaneIsRightInEveryFrameAndLikeAFreshWorldInTheEnd) {
    SCOPED_TRACE(seed_text());
    for (std::uint64_t number = 700; number < 700 + flights() && !testing::Test::HasFailure(); ++number) {
        SCOPED_TRACE(number);
        fly_and_compare(Random(number), std::make_shared<PlaneField>(Position{0, 2, 0}, Position{0, 1, 0}));
    }
}

// Two that went wrong once: a version of a chunk that had been hidden outlived an edit there, went to the cache and was
// shown later; children that could not join were hidden.
TEST(StreamerEditsFlight, ThoseThatFoundADefectAreRight) {
    const auto plane = std::make_shared<PlaneField>(Position{0, 2, 0}, Position{0, 1, 0});
    fly_and_compare(Random(700, 9), plane);
    fly_and_compare(Random(701, 4248640013), plane);
}

// Chunks of the usual size, most of them coarse, so that most edits lie between their samples.
TEST(StreamerEditsFlight, InChunksOf32CellsIsRightInEveryFrameAndLikeAFreshWorldInTheEnd) {
    SCOPED_TRACE(seed_text());
    StreamerOptions options = without_memory();
    options.cells = 32;
    options.lod_distance = 40;
    options.radius = 400;
    for (std::uint64_t number = 800; number < 799 + flights() && !testing::Test::HasFailure(); ++number) {
        SCOPED_TRACE(number);
        fly_and_compare(Random(number), rolling(), options, 80);
    }
}

// Where chunks of 32 cells meet, vertices lie where the finest level has them: coarse chunks follow an edit between
// their own samples, too.
TEST(StreamerEditsFlight, AnEditBetweenCoarseSamplesIsSeenWhereChunksMeet) {
    StreamerOptions options = without_memory();
    options.cells = 32;
    options.lod_distance = 40;
    options.radius = 400;
    EditedStreamer streamer(std::make_shared<PlaneField>(Position{0, 12.4, 0}, Position{0, 1, 0}), options);
    const std::vector<Viewer> viewers{from(0, 5, 0)};
    streamer.scripted.settle(viewers);
    for (int x = -3; x <= 3; ++x) {
        for (int z = -3; z <= 3; ++z) streamer.dig({128.0 * x, 12, 128.0 * z}, 0.9f);
    }
    streamer.scripted.settle(viewers);
    std::int32_t coarsest = 0;
    streamer.scripted.host.for_each_visible(
        [&](const ChunkKey& key, std::uint32_t, const Mesh&) { coarsest = std::max(coarsest, key.lod); });
    EXPECT_GE(coarsest, 3);
    streamer.expect_up_to_date();
    streamer.scripted.check_closed();
}

// The same edits in the same frames on pools of several sizes.
TEST(StreamerEditsFlight, EndsTheSameWithAnyNumberOfWorkers) {
    SCOPED_TRACE(seed_text());
    std::vector<Drawn> drawn;
    for (const int workers : {1, 2, 5}) {
        Random random(620);
        Pool pool(workers);
        EditWorld world(rolling());
        Streamer streamer(pool, world.field(), without_memory());
        SuspiciousHost host;
        Viewer viewer = from(0, 5, 0);
        const auto deliver = [&] {
            streamer.update(viewer);
            const ShownWorld planned = streamer.shown();
            streamer.inbox().deliver(std::chrono::milliseconds(1), host);
            const ShownCheck found = check_shown(streamer.shown(), planned);
            ASSERT_TRUE(found.is_right()) << found.first;
        };
        for (int frame = 0; frame < 150; ++frame) {
            viewer.position.x += 1;
            const EditReport report = world.apply(random_edit(random, viewer.position));
            if (report.any()) streamer.edit(world.field(), report.changed);
            deliver();
        }
        while (!streamer.at_rest() && !testing::Test::HasFailure()) deliver();
        drawn.push_back(drawn_by(host));
    }
    EXPECT_FALSE(drawn.front().empty());
    expect_equal(drawn[0], drawn[1]);
    expect_equal(drawn[0], drawn[2]);
}

}  // namespace
}  // namespace quarry::terrain::streaming
