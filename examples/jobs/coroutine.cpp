// A piece of game logic that reads a level, builds it and shows it, each step where it belongs, in one function.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <quarry/jobs/coro.hpp>

namespace {

std::vector<int> read_heights(const std::string& name) {
    if (name.empty()) throw std::runtime_error("a level needs a name");
    return {3, 1, 4, 1, 5, 9, 2, 6};
}

// [begin docs]
struct Scene {
    std::vector<std::string> levels;  // only the host's thread may touch it
};

// Runs in the lane of the coroutine that awaits it.
quarry::coro<int> highest(quarry::Pool& pool, std::vector<int> heights) {
    quarry::Task<int> left = pool.submit([&] { return heights[0]; });  // runs beside this coroutine
    int most = 0;
    for (const int height : heights) most = height > most ? height : most;
    const int first = co_await left;
    co_return first > most ? first : most;
}

quarry::coro<int> load_level(quarry::Pool& pool, Scene& scene, std::string name) {
    co_await pool.schedule(quarry::Lane::io);  // may block
    std::vector<int> heights = read_heights(name);

    co_await pool.schedule(quarry::Lane::background);  // may take many frames
    const int most = co_await highest(pool, std::move(heights));

    co_await pool.schedule(quarry::Lane::host);  // on the host's thread, in run_host_jobs
    scene.levels.push_back(name);
    co_return most;
}
// [end docs]

}  // namespace

int main() {
    // [begin start]
    quarry::Pool pool;
    Scene scene;
    quarry::Task<int> level = pool.start(load_level(pool, scene, "hills"));
    quarry::Task<int> broken = pool.start(load_level(pool, scene, ""));

    int frames = 0;
    while (!level.ready() || !broken.ready()) {  // the game's own loop
        pool.run_host_jobs();
        ++frames;
    }

    std::printf("%s, highest %d\n", scene.levels.front().c_str(), level.get());
    try {
        broken.get();
    } catch (const std::runtime_error& error) {
        std::printf("%s\n", error.what());
    }
    // [end start]
    return scene.levels.size() == 1 && frames > 0 ? 0 : 1;
}
