// The same flight twice: the second one repeats frame by frame what workers did in the first.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/streamer.hpp>
#include <quarry/terrain/streamer_journal.hpp>

namespace terrain = quarry::terrain;
using namespace std::chrono_literals;

int main() {
    const auto hills = std::make_shared<terrain::NoiseField>(terrain::NoiseOptions{.seed = 7});
    // [begin docs]
    struct Frame {
        std::vector<std::byte> journal;
        std::uint64_t hash;
    };
    const auto viewer_at = [](int frame) { return terrain::Viewer{.position = {frame * 0.5, 20, 0}}; };

    std::vector<Frame> log;
    {
        quarry::Pool pool(1);
        terrain::StreamerJournal journal(terrain::StreamerJournal::Mode::record);
        terrain::Streamer streamer(pool, hills, {.radius = 256, .lod_distance = 64, .journal = &journal});
        for (int frame = 0; frame < 60; ++frame) {
            streamer.update(viewer_at(frame));
            streamer.inbox().deliver(2ms, [](terrain::StreamEvent&) {});
            log.push_back({journal.take(), streamer.state_hash()});
        }
    }

    quarry::Pool pool(4);
    terrain::StreamerJournal journal(terrain::StreamerJournal::Mode::replay);
    terrain::Streamer streamer(pool, hills, {.radius = 256, .lod_distance = 64, .journal = &journal});
    int same = 0;
    for (int frame = 0; frame < 60; ++frame) {
        journal.give(log[static_cast<std::size_t>(frame)].journal);
        streamer.update(viewer_at(frame));
        streamer.inbox().deliver(2ms, [](terrain::StreamEvent&) {});
        if (streamer.state_hash() == log[static_cast<std::size_t>(frame)].hash) ++same;
    }
    std::printf("%d of 60 frames are the same\n", same);
    // [end docs]
    return same == 60 ? 0 : 1;
}
