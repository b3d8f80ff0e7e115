// Results of heavy jobs, applied on the host's thread within 2 ms per frame.
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <thread>
#include <vector>

#include <quarry/frame/inbox.hpp>
#include <quarry/jobs/pool.hpp>

using namespace std::chrono_literals;

namespace {

struct Mesh {
    int place;
    std::vector<float> vertices;
};

Mesh build_mesh(int place) {
    return {place, std::vector<float>(1000, static_cast<float>(place))};
}

}  // namespace

int main() {
    std::size_t uploaded = 0;
    const auto upload = [&](const Mesh& mesh) { uploaded += mesh.vertices.size(); };
    // [begin docs]
    quarry::Pool pool(2);
    quarry::Inbox<Mesh> inbox({.slots = 64});  // this thread is the host's

    for (int place = -100; place < 100; ++place) {
        inbox.submit(pool, [place] { return build_mesh(place); }, {.lane = quarry::Lane::background});
    }

    double viewer = 0;
    for (std::size_t left = 200; left != 0;) {
        const quarry::DeliveryReport report = inbox.deliver(
            2ms, [&](Mesh&& mesh) { upload(mesh); },
            [&](const Mesh& mesh) { return -std::abs(mesh.place - viewer); });  // nearest to the viewer first
        left -= report.delivered;
        viewer += 0.5;
        std::this_thread::sleep_for(1ms);  // the rest of the frame
    }
    // [end docs]
    std::printf("%zu vertices uploaded in %d frames\n", uploaded, static_cast<int>(inbox.stats().deliveries));
    return uploaded == 200'000 ? 0 : 1;
}
