#include "quarry/terrain/mesh_memory.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "tests/jobs/counting_allocator.hpp"

namespace quarry::terrain {
namespace {

using quarry::test_support::allocation_count;

constexpr ChunkKey kSurface{0, 0, 0, 0};

TEST(MeshMemory, ExtractionAllocatesNothingElseOnceWarm) {
    const NoiseField field{NoiseOptions{}};
    ExtractScratch scratch;
    const ChunkMesh first = extract(field, kSurface, {}, scratch);
    ASSERT_EQ(first.content, ChunkContent::surface);
    const std::uint64_t before = allocation_count();
    const ChunkMesh second = extract(field, kSurface, {}, scratch);
    EXPECT_EQ(allocation_count(), before);
    EXPECT_EQ(first, second);
}

TEST(MeshMemory, BakingAllocatesNothingElseOnceWarm) {
    const NoiseField field{NoiseOptions{}};
    const ChunkMesh chunk = extract(field, kSurface);
    const Mesh first = bake(chunk, side::all);
    const std::uint64_t before = allocation_count();
    const Mesh second = bake(chunk, side::all);
    EXPECT_EQ(allocation_count(), before);
    EXPECT_EQ(first, second);
}

TEST(MeshMemory, DestroyedMeshesGiveAllBack) {
    const NoiseField field{NoiseOptions{}};
    const std::size_t before = mesh_memory_use().used;
    {
        const ChunkMesh mesh = extract(field, kSurface);
        EXPECT_GE(mesh_memory_use().used - before, mesh.positions.size() * 2 * sizeof(Vector3));
    }
    EXPECT_EQ(mesh_memory_use().used, before);
}

TEST(MeshMemory, MeshesOutliveTheThreadThatMadeThem) {
    const std::size_t before = mesh_memory_use().used;
    ChunkMesh mesh;
    std::thread([&] { mesh = extract(NoiseField{NoiseOptions{}}, kSurface); }).join();
    EXPECT_EQ(mesh, extract(NoiseField{NoiseOptions{}}, kSurface));
    mesh = {};
    EXPECT_EQ(mesh_memory_use().used, before);
}

TEST(MeshMemory, ThreadsTakeOverWhatEndedThreadsLeft) {
    const auto make_and_drop = [] { std::thread([] { MeshVector<int>(100'000, 1); }).join(); };
    make_and_drop();
    const std::size_t before = mesh_memory_use().reserved;
    for (int i = 0; i < 50; ++i) make_and_drop();
    EXPECT_EQ(mesh_memory_use().reserved, before);
}

TEST(MeshMemory, LargeArraysComeFromOperatorNew) {
    const std::size_t used = mesh_memory_use().used;
    const std::uint64_t before = allocation_count();
    MeshVector<std::byte> large(kLargestInArena + 1);
    EXPECT_EQ(allocation_count(), before + 1);
    EXPECT_EQ(mesh_memory_use().used, used);
}

// A mesh that a thread-local variable makes while its thread ends.
struct MakesMeshAtTheEnd {
    MeshVector<int>& made;
    ~MakesMeshAtTheEnd() { made.assign(1'000, 7); }
};

TEST(MeshMemory, EndingThreadsMayStillMakeMeshes) {
    MeshVector<int> made;
    std::thread([&] {
        thread_local MakesMeshAtTheEnd at_the_end{made};
        static_cast<void>(at_the_end);
        MeshVector<int> own(10, 1);  // adopts an arena, which is left behind before at_the_end is destroyed
    }).join();
    EXPECT_EQ(made, MeshVector<int>(1'000, 7));
}

TEST(MeshMemory, WorksInAForkedChild) {
    MeshVector<int> before(1'000, 1);
    const pid_t child = fork();
    if (child == 0) {
        before.clear();
        before.shrink_to_fit();
        const MeshVector<int> more(5'000, 2);
        _exit(more.back() == 2 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace quarry::terrain
