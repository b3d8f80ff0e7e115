#include "terrain/rejection.hpp"

#include <atomic>
#include <cstddef>
#include <utility>

#include <quarry/jobs/parallel_for.hpp>
#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/extract.hpp>

#include "terrain/chunks.hpp"

namespace quarry::bench {
namespace {

using namespace terrain;

constexpr double kRejectionSeconds = 0.03;

Box box_of_chunk(const ChunkKey& key) {
    const auto at = [](std::int32_t place) { return 32.0 * place; };
    return {{at(key.x), at(key.y), at(key.z)}, {at(key.x + 1), at(key.y + 1), at(key.z + 1)}};
}

}  // namespace

Rejection::Rejection(std::string name, const NoiseOptions& options)
    : name_(std::move(name)), field_(options), places_(sphere_world(kWorldRadius)) {
    count_share();
}

// Always the same number, so it is counted once and on all cores.
void Rejection::count_share() {
    std::atomic<std::size_t> rejected{0};
    std::atomic<std::size_t> empty{0};
    Pool pool;
    parallel_for(pool, std::size_t{0}, places_.size(), [&](std::size_t i) {
        const ChunkContent content = extract(field_, places_[i].key).content;
        if (content == ChunkContent::rejected) rejected.fetch_add(1, std::memory_order_relaxed);
        if (content == ChunkContent::empty) empty.fetch_add(1, std::memory_order_relaxed);
    });
    share_ = 100 * static_cast<double>(rejected) / static_cast<double>(rejected + empty);
}

void Rejection::measure(RowContext& context) const {
    std::size_t rejected = 0;
    const double seconds = seconds_per_call(kRejectionSeconds, [&] {
        rejected = 0;
        for (const PlacedChunk& place : places_) {
            rejected += field_.bounds(box_of_chunk(place.key)).may_have_surface() ? 0U : 1U;
        }
    });
    context.add(name_, static_cast<double>(rejected) / seconds);
    context.answer.add(name_ + "_share", "%", share_);
}

}  // namespace quarry::bench
