// The work of single jobs, and who does it.
#include "terrain/streaming/pool_jobs.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/task.hpp"
#include "quarry/terrain/edit_world.hpp"
#include "quarry/terrain/edited_field.hpp"
#include "quarry/terrain/noise_field.hpp"

namespace quarry::terrain::streaming {
namespace {

std::shared_ptr<const MeshSource> dug_hills() {
    EditWorld world(std::make_shared<NoiseField>(NoiseOptions{.seed = 5, .frequency = 0.03, .amplitude = 20}));
    world.apply({.kind = EditKind::dig, .at = {32, 2, 32}, .radius = 8});
    auto source = std::make_shared<MeshSource>();
    source->field = world.field();
    return source;
}

MeshJob job_for(const ChunkKey& key, std::uint32_t mask, bool urgent) {
    MeshJob job;
    job.key = key;
    job.mask = mask;
    job.urgent = urgent;
    job.source = dug_hills();
    return job;
}

// What the host would get; empty where there is no surface.
Mesh baked_in(const MeshOutcome& outcome) {
    return outcome.baked != nullptr ? outcome.baked->mesh : Mesh{};
}

TEST(MeshJob, AnUrgentOneLeavesOutSeamsThatAreNotShownAndMakesThemOnceTheyAre) {
    int with_surface = 0;
    for (int corner = 0; corner < 8; ++corner) {
        const ChunkKey key{0, corner & 1, -(corner >> 1 & 1), corner >> 2};
        MeshOutcome hurried = run(job_for(key, 0, true));
        const MeshOutcome anew = run(job_for(key, 0, false));
        EXPECT_EQ(baked_in(hurried), baked_in(anew));
        EXPECT_EQ(hurried.kept->mesh.content, anew.kept->mesh.content);
        if (anew.kept->mesh.content != ChunkContent::surface) continue;
        ++with_surface;
        EXPECT_LT(hurried.kept->mesh.positions.size(), anew.kept->mesh.positions.size());
        for (const std::uint32_t mask : {0U, 1U, 21U, 63U}) {
            MeshJob later = job_for(key, mask, false);
            later.kept = hurried.kept;
            const MeshOutcome baked = run(std::move(later));
            EXPECT_EQ(baked.was_extracted, mask != 0);
            EXPECT_EQ(baked_in(baked), bake(anew.kept->mesh, mask)) << "mask " << mask;
            EXPECT_EQ(baked.kept->mesh == anew.kept->mesh, mask != 0);
        }
        // One whose seams are shown has them all.
        EXPECT_EQ(run(job_for(key, 4, true)).kept->mesh, anew.kept->mesh);
    }
    EXPECT_GE(with_surface, 4);
}

// However many workers there are: if none of them gets to it, the host does it.
TEST(PoolJobs, TheHostHelpsWhereWorkersAreBusyWithOtherThings) {
    std::atomic<bool> may_end = false;
    std::atomic<int> at_work = 0;
    const int workers = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    Pool pool(workers);
    std::vector<Task<void>> others;
    for (int i = 0; i < workers; ++i) {
        others.push_back(pool.submit([&] {
            ++at_work;
            while (!may_end) std::this_thread::yield();
        }));
    }
    while (at_work < workers) std::this_thread::yield();
    {
        PoolJobs jobs(pool, Lane::background, 64, HostGuard());
        jobs.submit(job_for({0, 0, 0, 0}, 0, true), kUrgentRank);
        int tries = 0;
        while (!jobs.run_urgent()) {
            jobs.wait_for_outcome(std::chrono::milliseconds(1));
            ASSERT_LT(++tries, 100'000);
        }
        std::vector<ChunkId> begun;
        std::vector<MeshOutcome> outcomes;
        jobs.collect(begun, outcomes);
        EXPECT_EQ(begun.size(), 1u);
        ASSERT_EQ(outcomes.size(), 1u);
        EXPECT_EQ(baked_in(outcomes[0]), baked_in(run(job_for({0, 0, 0, 0}, 0, false))));
        may_end = true;
    }
    for (Task<void>& other : others) other.get();
}

}  // namespace
}  // namespace quarry::terrain::streaming
