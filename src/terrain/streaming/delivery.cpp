#include <algorithm>
#include <utility>

#include "quarry/jobs/error.hpp"
#include "terrain/streaming/engine.hpp"

namespace quarry::terrain::streaming {
namespace {

// With more of them, releases come before uploads: so a host with a tiny budget does not pile up meshes.
constexpr std::size_t kManyReleases = 64;

}  // namespace

// The budget of one delivery.
class Engine::Delivery {
  public:
    Delivery(Engine& engine, const DeliveryBudget& budget)
        : engine_(engine), budget_(budget), start_(engine.now()), latest_(start_) {
        engine_.delivering_ = true;
        report_.budget = budget.time();
    }
    Delivery(const Delivery&) = delete;
    Delivery& operator=(const Delivery&) = delete;
    ~Delivery() { engine_.delivering_ = false; }

    bool must_stop(const quarry::impl::ItemCost& cost) {
        if (report_.delivered == 0) return false;
        if (report_.delivered >= budget_.items()) return stop(DeliveryReport::End::items);
        if (!budget_.has_time_limit()) return false;
        return is_out_of_time(cost) ? stop(DeliveryReport::End::time) : false;
    }
    // Between two events, where what comes next is still looked for.
    bool must_stop_searching() {
        if (!budget_.has_time_limit()) return false;
        bool is_out = false;
        if (engine_.journal_.replays()) {
            is_out = engine_.journal_.read_stop();
        } else {
            is_out = engine_.now() - start_ >= budget_.time();
            engine_.journal_.write_stop(is_out);
        }
        return is_out ? stop(DeliveryReport::End::time) : false;
    }
    // What was done for all of them is no event's cost.
    void items_begin() { latest_ = engine_.now(); }
    void delivered(quarry::impl::ItemCost& cost) {
        took(cost);
        ++report_.delivered;
    }
    // A step that is no event.
    void took(quarry::impl::ItemCost& cost) {
        const std::chrono::nanoseconds now = engine_.now();
        cost.learn(static_cast<double>((now - latest_).count()));
        latest_ = now;
    }
    bool stopped() const { return report_.end != DeliveryReport::End::all_delivered; }
    DeliveryReport report() {
        report_.spent = engine_.now() - start_;
        if (budget_.has_time_limit() && report_.spent > budget_.time())
            report_.overrun = report_.spent - budget_.time();
        return report_;
    }

  private:
    bool is_out_of_time(const quarry::impl::ItemCost& cost) {
        if (engine_.journal_.replays()) return engine_.journal_.read_stop();
        const auto left = static_cast<double>((budget_.time() - (latest_ - start_)).count());
        const bool is_out = left <= 0 || cost.expected() > left;
        engine_.journal_.write_stop(is_out);
        return is_out;
    }
    bool stop(DeliveryReport::End end) {
        report_.end = end;
        return true;
    }

    Engine& engine_;
    const DeliveryBudget budget_;
    const std::chrono::nanoseconds start_;
    std::chrono::nanoseconds latest_;
    DeliveryReport report_;
};

DeliveryReport Engine::deliver(const DeliveryBudget& budget, const StreamerInbox::Receiver& receiver) {
    host_.assert_host("StreamerInbox::deliver");
    if (delivering_) throw Error("StreamerInbox::deliver was called inside a delivery");
    Delivery delivery(*this, budget);
    hide_left_behind(receiver, delivery);
    do {
        take_outcomes();
        world_->begin_delivery();
        if (next_ != nullptr) next_->begin_delivery();
        delivery.items_begin();
        do {
            shared_.jobs->tell_workers();
        } while (deliver_one(receiver, delivery));
        shared_.jobs->tell_workers();
        // What workers have ended meanwhile belongs to this delivery, too.
    } while (!delivery.stopped() && budget.has_time_limit() && take_outcomes());
    DeliveryReport report = delivery.report();
    report.carried_over = shared_.releases.size() + world_->ready() + (next_ != nullptr ? next_->ready() : 0);
    return report;
}

// One at which on_error throws is taken in; those behind it come next time.
bool Engine::take_outcomes() {
    if (next_outcome_ == outcomes_.size()) collect_outcomes();
    const bool any = next_outcome_ < outcomes_.size();
    while (next_outcome_ < outcomes_.size()) {
        MeshOutcome& outcome = outcomes_[next_outcome_++];
        if (outcome.cost.count() > 0) edit_cost_.learn(static_cast<double>(outcome.cost.count()));
        ChunkRecord* const record = shared_.table.find(outcome.id);
        if (record != nullptr) {
            world_of(record->world)->came(*record, outcome.id.slot, outcome);
            continue;
        }
        ++shared_.stats.stale;
        if (outcome.was_extracted) ++shared_.stats.meshed;
        for (World* const world : {world_.get(), next_.get()}) {
            if (world != nullptr && world->source() == outcome.source) world->keep(outcome);
        }
    }
    return any;
}

void Engine::collect_outcomes() {
    begun_.clear();
    outcomes_.clear();
    next_outcome_ = 0;
    shared_.jobs->collect(begun_, outcomes_);
    for (const ChunkId id : begun_) {
        const ChunkRecord* const record = shared_.table.find(id);
        if (record != nullptr && record->state == ChunkState::queued) shared_.table.move(id.slot, ChunkState::meshing);
    }
}

// All of it, whatever the budget: a part of it that stayed would leave a gap if viewers came back to it.
void Engine::hide_left_behind(const StreamerInbox::Receiver& receiver, Delivery& delivery) {
    for (World* const world : {world_.get(), next_.get()}) {
        if (world == nullptr || world->swap().started_told) continue;
        for (left_behind_.clear(); world->list_leaving(kMostInGroup, left_behind_); left_behind_.clear()) {
            if (world->is_visible() && !left_behind_.empty()) {
                StreamEvent event;
                event.kind = StreamEvent::Kind::hide;
                event.group = ++shared_.last_group;
                event.chunks = left_behind_;
                receiver(event);
                delivery.delivered(show_cost_);
            }
            world->leave();
        }
    }
}

// False: there is nothing more, or no budget for it.
bool Engine::deliver_one(const StreamerInbox::Receiver& receiver, Delivery& delivery) {
    if (next_ != nullptr && (exchanged_ != 0 || next_->complete())) {
        if (delivery.must_stop(show_cost_)) return false;
        exchange_worlds(receiver);
        delivery.delivered(show_cost_);
        return true;
    }
    for (World* const world : {world_.get(), next_.get()}) {
        if (world != nullptr && world->swap().alive && world->swap().outstanding == 0) {
            return deliver_swap(*world, receiver, delivery);
        }
    }
    if (shared_.releases.size() <= kManyReleases) {
        for (World* const world : {world_.get(), next_.get()}) {
            if (world == nullptr || world->ready() == 0) continue;
            // To find a group, and to bake what it lacks, may take as long as several uploads: a step of its own.
            const bool searches = world->must_search();
            if (searches && delivery.must_stop(search_cost_)) return false;
            Group* const group = world->next_to_hand_over([&delivery] { return delivery.must_stop_searching(); });
            if (delivery.stopped()) return false;
            if (group == nullptr) continue;
            if (searches) delivery.took(search_cost_);
            const Member* const member = world->next_upload(*group);
            quarry::impl::ItemCost& cost = member != nullptr ? upload_cost_ : show_cost_;
            if (delivery.must_stop(cost)) return false;
            if (member != nullptr) {
                upload(member->chunk, receiver);
                delivery.delivered(cost);
            } else if (show(*world, *group, receiver)) {
                delivery.delivered(cost);
            }
            return true;
        }
    }
    if (shared_.releases.empty() || delivery.must_stop(release_cost_)) return false;
    release_one(receiver);
    delivery.delivered(release_cost_);
    return true;
}

// What edits have touched: uploads within the budget, then all of it shown and hidden at once.
bool Engine::deliver_swap(World& world, const StreamerInbox::Receiver& receiver, Delivery& delivery) {
    world.prepare_swap();
    const Member* const member = world.next_swap_upload();
    quarry::impl::ItemCost& cost = member != nullptr ? upload_cost_ : show_cost_;
    if (delivery.must_stop(cost)) return false;
    if (member != nullptr) {
        upload(member->chunk, receiver);
    } else {
        tell_swap(world, receiver);
        world.commit_swap();
    }
    delivery.delivered(cost);
    return true;
}

void Engine::tell_swap(World& world, const StreamerInbox::Receiver& receiver) {
    if (!world.is_visible()) return;
    if (!world.swap().started_told) {
        to_show_.clear();
        to_hide_.clear();
        world.list_swap(to_show_, to_hide_);
        ++shared_.last_group;
        world.swap().started_told = true;
    }
    tell_in_parts(receiver, 0, swap_told_);
    StreamEvent event;
    event.kind = StreamEvent::Kind::changed;
    event.box = world.swap().news.changed;
    event.edits = world.swap().news.boxes.size();
    receiver(event);
    swap_told_ = 0;
}

void Engine::upload(std::uint32_t chunk, const StreamerInbox::Receiver& receiver) {
    ChunkRecord& record = shared_.table[chunk];
    StreamEvent event;
    event.kind = StreamEvent::Kind::upload;
    event.id = shared_.table.id(chunk);
    event.key = record.key;
    event.mask = record.mask;
    event.mesh = &record.baked->mesh;
    event.prepared = record.baked->prepared;
    receiver(event);
    record.baked.reset();
    shared_.table.move(chunk, ChunkState::handed_over);
    ++shared_.stats.uploads;
}

// False: nothing was left to tell the host; what is shown has changed all the same.
bool Engine::show(World& world, Group& group, const StreamerInbox::Receiver& receiver) {
    to_show_.clear();
    to_hide_.clear();
    world.list_changes(group, to_show_, to_hide_);
    const std::size_t changes = to_show_.size() + to_hide_.size();
    shared_.stats.largest_group = std::max<std::uint64_t>(shared_.stats.largest_group, changes);
    const bool tells = world.is_visible() && changes != 0;
    if (tells) tell(world, group, receiver);
    world.commit(group);
    return tells;
}

void Engine::tell(World& world, Group& group, const StreamerInbox::Receiver& receiver) {
    StreamEvent event;
    event.group = group.number;
    event.fade = to_show_.empty() || to_hide_.empty() ? 0 : world.options().fade;
    if (!to_show_.empty() && !group.show_told) {
        event.kind = StreamEvent::Kind::show;
        event.chunks = to_show_;
        receiver(event);
        group.show_told = true;
    }
    if (to_hide_.empty()) return;
    event.kind = StreamEvent::Kind::hide;
    event.chunks = to_hide_;
    receiver(event);
}

void Engine::release_one(const StreamerInbox::Receiver& receiver) {
    const std::uint32_t chunk = shared_.releases.front();
    StreamEvent event;
    event.kind = StreamEvent::Kind::release;
    event.id = shared_.table.id(chunk);
    event.key = shared_.table[chunk].key;
    event.mask = shared_.table[chunk].mask;
    receiver(event);
    shared_.releases.pop_front();
    shared_.table.move(chunk, ChunkState::retired);
}

// All that is to be shown, then all that is to be hidden, in groups of the usual size, without a look at the budget:
// the host has all meshes already. `told`: how much of it the host has been told before an error of its own.
void Engine::tell_in_parts(const StreamerInbox::Receiver& receiver, float fade, std::size_t& told) {
    const auto tell_all = [&](StreamEvent::Kind kind, const std::vector<ChunkId>& chunks, std::size_t before) {
        while (told < before + chunks.size()) {
            const std::size_t at = told - before;
            const std::size_t count = std::min<std::size_t>(kMostInGroup, chunks.size() - at);
            StreamEvent event;
            event.kind = kind;
            event.group = shared_.last_group;
            event.fade = fade;
            event.chunks = std::span(chunks).subspan(at, count);
            event.more = told + count < to_show_.size() + to_hide_.size();
            receiver(event);
            told += count;
        }
    };
    tell_all(StreamEvent::Kind::show, to_show_, 0);
    tell_all(StreamEvent::Kind::hide, to_hide_, to_show_.size());
}

// All of the new world is shown, then all of the old one hidden, in groups of the usual size, without a look at the
// budget: the host has all meshes already.
void Engine::exchange_worlds(const StreamerInbox::Receiver& receiver) {
    if (exchanged_ == 0) {
        to_show_.clear();
        to_hide_.clear();
        next_->for_each_shown([&](std::uint32_t chunk) {
            if (shared_.table[chunk].has_mesh) to_show_.push_back(shared_.table.id(chunk));
        });
        world_->for_each_shown([&](std::uint32_t chunk) {
            if (shared_.table[chunk].has_mesh) to_hide_.push_back(shared_.table.id(chunk));
        });
        ++shared_.last_group;
    }
    tell_in_parts(receiver, 0, exchanged_);
    exchanged_ = 0;
    for (const ChunkId id : to_show_) shared_.table.move(id.slot, ChunkState::shown);
    world_->give_up();
    world_ = std::move(next_);
    world_->become_visible();
    options_ = world_->options();
}

}  // namespace quarry::terrain::streaming
