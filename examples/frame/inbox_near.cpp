// An edit near the viewer is visible in the frame in which it was made; distant results come later.
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include <quarry/frame/inbox.hpp>
#include <quarry/jobs/pool.hpp>

using namespace std::chrono_literals;

namespace {

struct Chunk {
    int distance;
};

Chunk remesh(int distance) {
    return {distance};
}

}  // namespace

int main() {
    std::vector<Chunk> visible;
    // [begin docs]
    quarry::Pool pool(2);
    quarry::Inbox<Chunk> inbox;

    // A dig touches 8 chunks: 4 are near, and must be seen at once.
    for (int distance = 0; distance < 8; ++distance) {
        const bool near = distance < 4;
        inbox.submit(pool, [distance] { return remesh(distance); },
                     {.lane = near ? quarry::Lane::frame : quarry::Lane::background,
                      .priority = near ? quarry::Priority::urgent : quarry::Priority::normal});
    }

    int missing = 4;
    const quarry::DeliveryReport report = inbox.deliver_until(
        8ms, [&] { return missing == 0; },  // the most that the frame can spare
        [&](const Chunk& chunk) {
            if (chunk.distance < 4) --missing;
            visible.push_back(chunk);
        });
    std::printf("%d near chunks are missing after %.1f ms\n", missing,
                std::chrono::duration<double, std::milli>(report.spent).count());
    // [end docs]
    while (visible.size() < 8) {
        inbox.deliver(2ms, [&](const Chunk& chunk) { visible.push_back(chunk); });
        std::this_thread::yield();
    }
    return 0;
}
