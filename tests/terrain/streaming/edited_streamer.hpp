#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/edit_world.hpp"
#include "quarry/terrain/edited_field.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "tests/terrain/streaming/scripted_host.hpp"

namespace quarry::terrain::streaming {

inline Viewer from(double x, double y, double z) {
    return {.position = {x, y, z}, .direction = {1, 0, 0}};
}

// A streamer and the world that it shows.
struct EditedStreamer {
    explicit EditedStreamer(std::shared_ptr<const Field> ground,
                            const StreamerOptions& options = ScriptedStreamer::small_options())
        : world(std::move(ground)), scripted(world.field(), options), cells(options.cells) {}

    void apply(const Edit& edit) {
        const EditReport report = world.apply(edit);
        if (report.any()) scripted.engine->edit(world.field(), nullptr, report.changed);
    }
    void dig(Position at, float radius) { apply({.kind = EditKind::dig, .at = at, .radius = radius}); }

    // Every chunk that is drawn is what the ground is now.
    void expect_up_to_date() {
        const auto field = world.field();
        std::size_t wrong = 0;
        scripted.host.for_each_visible([&](const ChunkKey& key, std::uint32_t mask, const Mesh& mesh) {
            const ChunkMesh expected = extract(*field, key, {.cells = cells});
            wrong += bake(expected, mask) == mesh ? 0 : 1;
        });
        EXPECT_EQ(wrong, 0u);
        // And none that has a surface is missing.
        for (const ShownChunk& chunk : scripted.engine->shown().chunks) {
            const bool has_surface = extract(*field, chunk.key, {.cells = cells}).content == ChunkContent::surface;
            EXPECT_EQ(chunk.has_mesh, has_surface);
        }
    }

    EditWorld world;
    ScriptedStreamer scripted;
    std::int32_t cells;
};

inline std::shared_ptr<const Field> rolling() {
    return std::make_shared<NoiseField>(NoiseOptions{.seed = 3, .frequency = 0.03, .amplitude = 20});
}

}  // namespace quarry::terrain::streaming
