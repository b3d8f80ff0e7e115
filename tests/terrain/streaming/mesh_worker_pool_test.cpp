#include "quarry/terrain/mesh_worker_pool.hpp"

#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "tests/terrain/support.hpp"
#include "tests/terrain/test_fields.hpp"

namespace quarry::terrain {
namespace {

using Place = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>;

MeshResult next_result(MeshWorkerPool& workers) {
    for (;;) {
        if (std::optional<MeshResult> result = workers.try_result()) return std::move(*result);
        std::this_thread::yield();
    }
}

class Throwing final : public test_support::DistanceField {
    double distance(Position at) const override {
        if (at.x > 65) throw std::runtime_error("no density here");
        return at.y - 3;
    }
};

// A field that waits until it is told to go on.
class Gate final : public test_support::DistanceField {
  public:
    void open() { open_ = true; }

  private:
    double distance(Position at) const override {
        while (!open_) std::this_thread::yield();
        return at.y - 3;
    }
    std::atomic<bool> open_{false};
};

// R12, R15
TEST(MeshWorkerPool, GivesTheMeshThatExtractionGives) {
    const auto field = std::make_shared<NoiseField>();
    MeshWorkerPool workers(2);
    const ChunkKey key{1, 0, -1, 2};
    workers.request({.key = key, .mask = side::high_x, .field = field, .voxel_size = 0.5, .cells = 16, .distance = 7});
    const MeshResult result = next_result(workers);
    EXPECT_EQ(result.key, key);
    EXPECT_EQ(result.mask, side::high_x);
    EXPECT_EQ(result.distance, 7);
    const ChunkMesh expected = extract(*field, key, {.cells = 16, .lattice = {.voxel_size = 0.5}});
    EXPECT_EQ(result.content, expected.content);
    EXPECT_EQ(result.mesh, bake(expected, side::high_x));
    EXPECT_EQ(workers.open(), 0u);
}

// R1
TEST(MeshWorkerPool, HasTheThreadsThatWereAskedFor) {
    EXPECT_EQ(MeshWorkerPool(3).threads(), 3);
    EXPECT_GE(MeshWorkerPool().threads(), 1);
}

// R4, R5, R15
TEST(MeshWorkerPool, GivesEachRequestOneResultWhateverTheCapacity) {
    const auto field = std::make_shared<NoiseField>();
    for (const std::size_t capacity : {std::size_t{1}, std::size_t{3}, std::size_t{64}, std::size_t{1000}}) {
        for (const int threads : {1, 3}) {
            MeshWorkerPool workers(threads, capacity);
            std::map<Place, int> expected;
            // All requests first, all results later.
            for (std::int32_t i = 0; i < 150; ++i) {
                const ChunkKey key{0, i % 10, i / 10 % 5 - 2, i / 50};
                ++expected[{key.lod, key.x, key.y, key.z}];
                workers.request({.key = key, .field = field, .cells = 8});
            }
            EXPECT_EQ(workers.open(), 150u);
            std::map<Place, int> results;
            for (int i = 0; i < 150; ++i) {
                const MeshResult result = next_result(workers);
                ++results[{result.key.lod, result.key.x, result.key.y, result.key.z}];
            }
            EXPECT_EQ(results, expected);
            EXPECT_FALSE(workers.try_result().has_value());
            EXPECT_EQ(workers.open(), 0u);
        }
    }
}

// R7, R14
TEST(MeshWorkerPool, LeavesARequestBeyondTheCapacityWithTheCaller) {
    const auto gate = std::make_shared<Gate>();
    MeshWorkerPool workers(1, 4);
    int accepted = 0;
    MeshRequest request;
    for (int i = 0; i < 100; ++i) {
        request = {.key = {0, i, 0, 0}, .field = gate, .cells = 8};
        if (!workers.try_request(std::move(request))) break;
        ++accepted;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    // One is in the worker's hands.
    EXPECT_EQ(accepted, 5);
    EXPECT_EQ(request.field, gate);  // NOLINT(bugprone-use-after-move): that is the question
    EXPECT_FALSE(workers.try_result().has_value());
    gate->open();
    for (int i = 0; i < accepted; ++i) (void)next_result(workers);
}

// R10
TEST(MeshWorkerPool, BeginsTheNearestFirst) {
    const auto gate = std::make_shared<Gate>();
    const auto field = std::make_shared<test_support::Slope>(Position{0, 1, 0}, 3);
    MeshWorkerPool workers(1, 64);
    workers.request({.key = {0, 0, 0, 0}, .field = gate, .cells = 8, .distance = -1});
    for (int i = 0; i < 40; ++i) {
        workers.request({.key = {0, i, 0, 0}, .field = field, .cells = 8, .distance = static_cast<double>(i * 7 % 40)});
    }
    gate->open();
    // As they come, one by one: the order in which they were begun.
    double before = -1;
    for (int i = 0; i < 41; ++i) {
        const MeshResult result = next_result(workers);
        EXPECT_GE(result.distance, before);
        before = result.distance;
    }
}

// R26
TEST(MeshWorkerPool, ReportsAFieldThatThrowsForThatChunkAlone) {
    MeshWorkerPool workers(2);
    const auto field = std::make_shared<Throwing>();
    for (int x = 0; x < 4; ++x) workers.request({.key = {0, x, 0, 0}, .field = field});
    int errors = 0;
    for (int i = 0; i < 4; ++i) {
        const MeshResult result = next_result(workers);
        EXPECT_EQ(result.error != nullptr, result.key.x >= 2) << result.key.x;
        errors += result.error != nullptr ? 1 : 0;
    }
    EXPECT_EQ(errors, 2);
}

TEST(MeshWorkerPool, ReportsARequestOutOfRange) {
    MeshWorkerPool workers(1);
    const auto field = std::make_shared<NoiseField>();
    workers.request({.key = {9, 0, 0, 0}, .field = field});
    workers.request({.key = {0, 0, 0, 0}, .mask = 64, .field = field});
    workers.request({.key = {0, 0, 0, 0}, .field = field, .voxel_size = kNan});
    workers.request({.key = {0, 0, 0, 0}, .field = field, .cells = 7});
    for (int i = 0; i < 4; ++i) EXPECT_NE(next_result(workers).error, nullptr);
    EXPECT_THROW(workers.request({.key = {0, 0, 0, 0}}), std::invalid_argument);
    EXPECT_THROW(MeshWorkerPool(-1), std::invalid_argument);
    EXPECT_THROW(MeshWorkerPool(1, 0), std::invalid_argument);
}

TEST(MeshWorkerPool, EndsWithRequestsOpen) {
    for (int round = 0; round < 20; ++round) {
        MeshWorkerPool workers(2, 64);
        const auto field = std::make_shared<NoiseField>();
        for (int i = 0; i < round * 3; ++i) workers.request({.key = {0, i, 0, 0}, .field = field, .cells = 8});
    }
}

// R13
TEST(MeshWorkerPool, RefusesCallsFromOtherThreads) {
    MeshWorkerPool workers(1);
    std::thread([&] { EXPECT_THROW((void)workers.try_result(), Error); }).join();
}

}  // namespace
}  // namespace quarry::terrain
