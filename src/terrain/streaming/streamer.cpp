#include "quarry/terrain/streamer.hpp"

#include <utility>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/materials.hpp"
#include "terrain/streaming/engine.hpp"
#include "terrain/streaming/pool_jobs.hpp"

namespace quarry::terrain {
namespace {

std::unique_ptr<streaming::Engine> make_engine(Pool& pool, std::shared_ptr<const Field> field,
                                               StreamerOptions options) {
    streaming::check(options);
    if (!options.host) options.host.emplace();
    auto jobs = std::make_unique<streaming::PoolJobs>(pool, options.lane, options.pending, *options.host);
    return std::make_unique<streaming::Engine>(std::move(jobs), std::move(field), options);
}

}  // namespace

DeliveryReport StreamerInbox::deliver_erased(const DeliveryBudget& budget, const Receiver& receiver) {
    return engine_.deliver(budget, receiver);
}

Streamer::Streamer(Pool& pool, std::shared_ptr<const Field> field, const StreamerOptions& options)
    : engine_(make_engine(pool, std::move(field), options)), inbox_(*engine_) {}
Streamer::~Streamer() = default;

void Streamer::update(std::span<const Viewer> viewers) {
    engine_->update(viewers);
}
bool Streamer::ready_around(const Position& position, double radius) const {
    return engine_->ready_around(position, radius);
}
bool Streamer::at_rest() const {
    return engine_->at_rest();
}
void Streamer::exchange(std::shared_ptr<const Field> field) {
    engine_->exchange(std::move(field), engine_->options());
}
void Streamer::exchange(std::shared_ptr<const Field> field, const StreamerOptions& options) {
    engine_->exchange(std::move(field), options);
}
void Streamer::edit(std::shared_ptr<const Field> field, const Box& changed) {
    engine_->edit(std::move(field), nullptr, changed);
}
void Streamer::edit(std::shared_ptr<const Field> field, std::shared_ptr<const Materials> materials,
                    const Box& changed) {
    engine_->edit(std::move(field), std::move(materials), changed);
}
void Streamer::set_edit_wait(double seconds) {
    engine_->set_edit_wait(seconds);
}
const StreamerOptions& Streamer::options() const noexcept {
    return engine_->options();
}
StreamerStats Streamer::stats() const {
    return engine_->stats();
}
std::uint64_t Streamer::state_hash() const {
    return engine_->state_hash();
}
ShownWorld Streamer::shown() const {
    return engine_->shown();
}

}  // namespace quarry::terrain
