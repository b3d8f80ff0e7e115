// A world that follows its viewer: plan, hand-over and display in a host's loop.
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/mesh.hpp>
#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/streamer.hpp>

namespace terrain = quarry::terrain;
using namespace std::chrono_literals;

namespace {

// [begin host]
// What a host does with events. A real one makes a vertex buffer of the mesh, and shows or hides it.
class Screen {
  public:
    void operator()(terrain::StreamEvent& event) {
        using Kind = terrain::StreamEvent::Kind;
        if (event.kind == Kind::upload) meshes_[event.id.slot] = {std::move(*event.mesh), false};
        if (event.kind == Kind::release) meshes_.erase(event.id.slot);
        for (const terrain::ChunkId id : event.chunks) meshes_[id.slot].second = event.kind == Kind::show;
    }
    std::size_t size() const { return meshes_.size(); }

  private:
    std::map<std::uint32_t, std::pair<terrain::Mesh, bool>> meshes_;  // and whether it is drawn
};
// [end host]

}  // namespace

int main() {
    Screen screen;
    // [begin docs]
    quarry::Pool pool;
    const auto hills = std::make_shared<terrain::NoiseField>(terrain::NoiseOptions{.seed = 7});
    terrain::Streamer streamer(pool, hills, {.radius = 256, .lod_distance = 64});

    terrain::Viewer viewer{.position = {0, 20, 0}, .direction = {1, 0, 0}};
    for (int frame = 0; frame < 60; ++frame) {
        viewer.position.x += 0.5;
        streamer.update(viewer);
        streamer.inbox().deliver(2ms, screen);
        std::this_thread::sleep_for(2ms);  // the rest of the frame
    }
    std::printf("%zu meshes, ground is %s\n", screen.size(),
                streamer.ready_around(viewer.position, 64) ? "there" : "on its way");
    // [end docs]
    while (!streamer.at_rest()) {
        streamer.update(viewer);
        streamer.inbox().deliver(2ms, screen);
        std::this_thread::sleep_for(1ms);
    }
    return streamer.ready_around(viewer.position, 256) && screen.size() > 0 ? 0 : 1;
}
