#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/streamer.hpp"
#include "tests/terrain/streaming/scripted_host.hpp"

namespace quarry::terrain {
namespace {

StreamerOptions prepared_options() {
    StreamerOptions options = streaming::ScriptedStreamer::small_options();
    options.prepare = [](const Mesh& mesh) { return std::make_shared<std::uint64_t>(content_hash(mesh)); };
    return options;
}

std::shared_ptr<const Field> prepared_hills() {
    return std::make_shared<NoiseField>(NoiseOptions{.seed = 5, .frequency = 0.03, .amplitude = 20});
}

template <class Fn>
void fly_prepared(Streamer& streamer, Fn&& on_event) {
    for (int i = 0; i < 200; ++i) {
        streamer.update({.position = {i * 1.5, 5, 0}, .direction = {1, 0, 0}});
        streamer.inbox().deliver(std::chrono::milliseconds(2), on_event);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

TEST(StreamerPrepare, EachUploadBringsWhatWasMadeOfItsMesh) {
    Pool pool(2);
    Streamer streamer(pool, prepared_hills(), prepared_options());
    std::size_t uploads = 0;
    fly_prepared(streamer, [&](const StreamEvent& event) {
        if (event.kind != StreamEvent::Kind::upload) {
            EXPECT_EQ(event.prepared, nullptr);
            return;
        }
        ++uploads;
        ASSERT_NE(event.prepared, nullptr);
        EXPECT_EQ(*std::static_pointer_cast<std::uint64_t>(event.prepared), content_hash(*event.mesh));
    });
    EXPECT_GT(uploads, 50U);
}

TEST(StreamerPrepare, WhatItThrowsIsReportedAsAChunkThatFailed) {
    Pool pool(2);
    StreamerOptions options = prepared_options();
    options.prepare = [](const Mesh&) -> std::shared_ptr<void> { throw std::runtime_error("no buffer"); };
    std::size_t failed = 0;
    options.on_error = [&](const ChunkError& error) {
        ++failed;
        EXPECT_THROW(std::rethrow_exception(error.error), std::runtime_error);
    };
    Streamer streamer(pool, prepared_hills(), options);
    fly_prepared(streamer, [](const StreamEvent& event) { EXPECT_NE(event.kind, StreamEvent::Kind::upload); });
    EXPECT_GT(failed, 0U);
}

}  // namespace
}  // namespace quarry::terrain
