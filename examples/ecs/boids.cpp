#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <png.h>
#include <quarry/ecs/executor.hpp>
#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/trace.hpp>

#include "boids_model.hpp"

namespace {

constexpr int kPixels = 800;

// Each boid a short stroke along its flight, coloured by its direction.
void draw(const boids::Flock& flock, const std::string& path) {
    std::vector<std::uint8_t> image(std::size_t{kPixels} * kPixels * 3, 16);
    const auto channel = [](float value) {
        return static_cast<std::uint8_t>(std::clamp(value, 0.0F, 1.0F) * 200 + 55);
    };
    for (std::size_t i = 0; i < flock.size(); ++i) {
        const boids::Vector velocity = flock.velocity[i];
        const float speed = std::sqrt(velocity.x * velocity.x + velocity.y * velocity.y) + 1e-6F;
        const boids::Vector along{velocity.x / speed, velocity.y / speed};
        for (int step = 0; step < 6; ++step) {
            const float back = static_cast<float>(step);
            const float scale = static_cast<float>(kPixels) / flock.side;
            const int x = static_cast<int>(flock.position[i].x * scale - along.x * back);
            const int y = static_cast<int>(flock.position[i].y * scale - along.y * back);
            if (x < 0 || y < 0 || x >= kPixels || y >= kPixels) continue;
            std::uint8_t* const pixel =
                &image[(static_cast<std::size_t>(y) * kPixels + static_cast<std::size_t>(x)) * 3];
            pixel[0] = channel(0.5F + along.x / 2);
            pixel[1] = channel(0.5F + along.y / 2);
            pixel[2] = channel(0.5F - along.x / 2);
        }
    }
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    png.width = png.height = kPixels;
    png.format = PNG_FORMAT_RGB;
    if (png_image_write_to_file(&png, path.c_str(), 0, image.data(), 0, nullptr) == 0) {
        std::fprintf(stderr, "%s: %s\n", path.c_str(), png.message);
        std::exit(1);  // NOLINT(concurrency-mt-unsafe): only this thread calls it
    }
}

}  // namespace

// example_ecs_boids [FOLDER [BOIDS]]: flies ten seconds, draws the flock before and after into the folder (default:
// out), and traces two ticks.
int main(int count, char** arguments) {
    const std::string folder = count > 1 ? arguments[1] : "out";
    std::filesystem::create_directories(folder);
    boids::Flock flock(count > 2 ? static_cast<std::size_t>(std::atol(arguments[2])) : 3000);
    quarry::ecs::Schedule<boids::Flock> schedule;
    boids::add_systems(schedule);
    quarry::Pool pool;
    quarry::ecs::ParallelExecutor executor(pool);
    draw(flock, folder + "/boids_start.png");
    for (int tick = 0; tick < 600; ++tick) executor.run(schedule, flock).rethrow();
    {
        quarry::Trace trace(pool);  // of two more ticks, for ui.perfetto.dev
        for (int tick = 0; tick < 2; ++tick) executor.run(schedule, flock).rethrow();
        trace.stop();
        trace.write(folder + "/boids_trace.json");
    }
    draw(flock, folder + "/boids_end.png");
    const quarry::ecs::TickReport& report = schedule.report();
    std::printf("%zu boids, last tick %.2f ms on %d workers\n", flock.size(),
                static_cast<double>(report.wall.count()) / 1e6, report.workers);
}
