// Functions for the host's thread only: a worker that calls one gets an error with both threads' names.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <quarry/frame/host_guard.hpp>
#include <quarry/jobs/error.hpp>
#include <quarry/jobs/pool.hpp>

namespace {

// [begin scene]
class Scene {
  public:
    explicit Scene(const quarry::HostGuard& host) : host_(host) {}

    void attach(std::string mesh) {
        host_.assert_host("Scene::attach");  // costs a comparison
        meshes_.push_back(std::move(mesh));
    }
    std::size_t size() const { return meshes_.size(); }

  private:
    quarry::HostGuard host_;
    std::vector<std::string> meshes_;
};
// [end scene]

}  // namespace

int main() {
    bool caught = false;
    // [begin docs]
    const quarry::HostGuard host;  // this thread is the host's
    Scene scene(host);
    quarry::Pool pool(2);

    scene.attach("floor");
    quarry::Task<void> wrong = pool.submit([&] { scene.attach("wall"); });
    try {
        while (!wrong.ready()) {
        }
        wrong.get();
    } catch (const quarry::Error& error) {
        // Scene::attach is for the host's thread "game"; it was called on another thread, "quarry-1"
        std::puts(error.what());
        caught = true;
    }
    // [end docs]
    return caught && scene.size() == 1 ? 0 : 1;
}
