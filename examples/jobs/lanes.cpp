// Three kinds of work that do not disturb each other in one pool.
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include <quarry/jobs/pool.hpp>

namespace {

std::string read_save_game() {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // a disk
    return "level 3";
}

long bake_light_map() {
    long light = 0;
    for (long i = 0; i < 100'000; ++i) light += i % 7;
    return light;
}

}  // namespace

int main() {
    // [begin docs]
    quarry::Pool pool(quarry::PoolOptions{.workers = 2, .io_threads = 2, .reserved_for_frame = 1});

    // May block: it has threads of its own.
    quarry::Task<std::string> saved = pool.submit(read_save_game, {.lane = quarry::Lane::io, .name = "read save game"});
    // May take many frames: never on the worker that is reserved for the frame.
    quarry::Task<long> light = pool.submit(bake_light_map, {.lane = quarry::Lane::background});
    // Must finish soon: the default.
    quarry::Task<int> visible = pool.submit([] { return 12; });

    std::printf("%d visible\n", visible.get());
    std::printf("%s, light %ld\n", saved.get().c_str(), light.get());
    // [end docs]
    return 0;
}
