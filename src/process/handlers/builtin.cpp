#include "process/handlers/handlers.hpp"
#include "quarry/process/bytes.hpp"
#include "quarry/process/handlers.hpp"

namespace quarry::process {

std::uint32_t compute_heavy(std::uint32_t iterations, std::uint32_t elements) {
    std::uint32_t total = 0;
    for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
        for (std::uint32_t value = 0; value < elements; ++value) {
            total += value * iteration;
            total = (total * 31 + value) % 1'000'000;
        }
    }
    return total;
}

void add_builtin_handlers(Registry& registry) {
    registry.add("echo", [](JobContext& job) { job.reply(job.payload()); });
    registry.add("ping", [](JobContext&) {});
    registry.add("compute_heavy", [](JobContext& job) {
        ByteReader in(job.payload());
        const auto iterations = in.get<std::uint32_t>();
        const auto elements = in.get<std::uint32_t>();
        in.finish();
        const std::uint32_t answer = compute_heavy(iterations, elements);
        job.reply(std::as_bytes(std::span(&answer, 1)));
    });
    registry.add("path_grid", impl::PathGridHandler());
    registry.add("distance_batch", impl::distance_batch);
    registry.add("collision_predict", impl::collision_predict);
}

}  // namespace quarry::process
