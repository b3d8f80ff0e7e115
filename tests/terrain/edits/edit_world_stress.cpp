#include "quarry/terrain/edit_world.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/task.hpp"
#include "quarry/terrain/edited_field.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "tests/terrain/support.hpp"

namespace quarry::terrain {
namespace {

// Workers mesh what was at one moment, while the host goes on editing the same bricks.
TEST(EditWorldStress, WorkersReadWhatWasWhileTheHostEdits) {
    Pool pool({.workers = 3});
    EditWorld world(std::make_shared<NoiseField>(NoiseOptions{.seed = 5}));
    Random random(531);
    SCOPED_TRACE(seed_text());
    struct Run {
        std::shared_ptr<const EditedField> field;
        std::uint64_t expected;
        Task<std::uint64_t> task;
    };
    std::vector<Run> runs;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    std::size_t checked = 0;
    while (std::chrono::steady_clock::now() < deadline) {
        const auto stroke = static_cast<std::uint32_t>(random.integer(0, 9));
        Edit edit{.kind = static_cast<EditKind>(random.integer(0, 4)),
                  .stroke = stroke,
                  .at = {random.real(0, 31), random.real(-10, 10), random.real(0, 31)},
                  .radius = static_cast<float>(random.real(1, 7)),
                  .amount = 0.5};
        if (random.integer(0, 9) == 0) edit.kind = EditKind::undo;
        world.apply(edit);
        std::shared_ptr<const EditedField> field = world.field();
        const std::uint64_t expected = content_hash(extract(*field, {0, 0, 0, 0}));
        runs.push_back({field, expected, pool.submit([field] { return content_hash(extract(*field, {0, 0, 0, 0})); })});
        if (runs.size() < 32) continue;
        for (Run& run : runs) ASSERT_EQ(run.task.get(), run.expected);
        checked += runs.size();
        runs.clear();
    }
    for (Run& run : runs) ASSERT_EQ(run.task.get(), run.expected);
    checked += runs.size();
    EXPECT_GT(checked, 0u);
}

}  // namespace
}  // namespace quarry::terrain
