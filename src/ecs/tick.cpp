// How the systems of a tick run.
#include <algorithm>
#include <atomic>
#include <utility>

#include "ecs/command_limit.hpp"
#include "ecs/schedule_state.hpp"
#include "quarry/jobs/impl/ticks.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/worker_local.hpp"

namespace quarry::ecs::impl {

std::size_t places_in(const Pool& pool) noexcept {
    return quarry::impl::most_threads_in(pool);
}

void ScheduleState::begin_tick(void* of_world, const TickMode& tick_mode) {
    world_ = of_world;
    mode_ = tick_mode;
    began_ = quarry::impl::ticks();
    const std::size_t buffers = 1 + (mode_.pool != nullptr ? places_in(*mode_.pool) : 0);
    if (buffers_.size() < buffers) buffers_.resize(buffers);
    const std::uint64_t tick = report.tick + 1;
    report.tick = tick;
    report.workers = mode_.pool != nullptr ? mode_.pool->worker_count() : 1;
    report.phases.resize(parts.size());
    for (PhaseReport& phase : report.phases) {
        phase.started = phase.ended = phase.applying = phase.critical_path = {};
        phase.parallel_efficiency = 0;
        phase.commands = phase.rejected = 0;
    }
    forget_commands();
    report.errors.clear();
    report.errors_beyond = report.commands = report.rejected = 0;
    report.stopped = false;
}

void ScheduleState::end_tick(std::uint64_t began) {
    report.wall = ticks_to_nanoseconds(quarry::impl::ticks() - began);
    world_ = nullptr;
}

// Only after a tick that ended with an exception, for want of memory say, there are any.
void ScheduleState::forget_commands() noexcept {
    for (const auto& buffer : buffers_) {
        if (buffer != nullptr && !buffer->segments().empty()) buffer->clear();
    }
}

CommandBuffer& ScheduleState::buffer_of_thread() {
    const std::size_t place = mode_.pool != nullptr ? static_cast<std::size_t>(Pool::current_index() + 1) : 0;
    std::unique_ptr<CommandBuffer>& buffer = buffers_[place];
    if (buffer == nullptr) [[unlikely]] {
        buffer = std::make_unique<CommandBuffer>();
        buffer->set_worker(static_cast<std::uint32_t>(place));
    }
    return *buffer;
}

void ScheduleState::note_failure(PlannedSystem& system, const Failure& failure) noexcept {
    const std::lock_guard lock(failures_mutex_);
    system.failed = true;
    failures_.push_back(failure);
}

void ScheduleState::note_limit(PlannedSystem& system, const std::exception_ptr& error) noexcept {
    const std::lock_guard lock(failures_mutex_);
    system.failed = true;
    if (!std::exchange(system.beyond_limit, true)) failures_.push_back({.system = system.number, .error = error});
}

void ScheduleState::run_plain(PlannedSystem& system) {
    if (system.left_out) return;
    CommandBuffer& buffer = buffer_of_thread();
    buffer.set_limit(system.limit);
    buffer.begin_block(system.number, 0, 0, false);
    try {
        system.invoke(system.object, world_, buffer, 0, 0);
    } catch (...) {
        buffer.end_block();
        note_failure(system, {.system = system.number, .error = std::current_exception()});
        throw;
    }
    buffer.end_block();
}

void ScheduleState::run_block(PlannedSystem& system, std::uint64_t first, std::uint64_t last) {
    CommandBuffer& buffer = buffer_of_thread();
    buffer.set_limit(system.limit);
    buffer.begin_block(system.number, first, last, true);
    // What other ranges have recorded counts, too; those that run just now are added up at the end.
    const std::atomic_ref<std::uint64_t> recorded(system.recorded);
    const std::uint64_t so_far = recorded.load(std::memory_order_relaxed);
    const std::uint64_t in_segment = buffer.segment_commands();
    buffer.leave_at_most(system.limit - std::min(so_far, system.limit));
    constexpr std::uint64_t kNowhere = static_cast<std::uint64_t>(-1);
    buffer.failed_at = kNowhere;
    try {
        system.spec->each(world_, buffer, first, last);
    } catch (const TooManyCommands&) {
        buffer.end_block();
        note_limit(system, std::current_exception());
        throw;
    } catch (...) {
        buffer.end_block();
        Failure failure{.system = system.number, .error = std::current_exception()};
        failure.has_range = true;
        failure.range = {static_cast<std::size_t>(first), static_cast<std::size_t>(last)};
        failure.has_entity = buffer.failed_at != kNowhere;
        failure.entity = buffer.failed_at;
        note_failure(system, failure);
        throw;
    }
    if (buffer.segment_commands() != in_segment) {
        recorded.fetch_add(buffer.segment_commands() - in_segment, std::memory_order_relaxed);
    }
    buffer.end_block();
}

void ScheduleState::run_background(PlannedSystem& system) {
    if (checking_) return;
    BackgroundRun& run = *system.background;
    if (run.under_way && run.due <= report.tick) {
        if (run.job.valid()) std::exchange(run.job, Task<void>()).wait();
        // The schedule may have been built anew since it began.
        for (Segment& segment : run.buffers[run.which].segments()) segment.system = system.number;
        run.under_way = false;
        run.has_commands = true;
        run.applicable = run.which;
        if (run.error != nullptr) {
            note_failure(system, {.system = system.number, .error = run.error});
            run.buffers[run.which].clear();
            run.has_commands = false;
            std::rethrow_exception(std::exchange(run.error, nullptr));
        }
    }
    if (run.under_way || system.left_out) return;
    const SystemFunction& condition = system.spec->condition;
    if (!condition || condition(world_, run.buffers[0], 0, 0) != 0) start_background(system);
}

void ScheduleState::start_background(PlannedSystem& system) {
    BackgroundRun& run = *system.background;
    const BackgroundParts& parts_of = system.spec->background;
    run.which = 1 - run.which;
    CommandBuffer& buffer = run.buffers[run.which];
    buffer.set_limit(system.limit);
    try {
        parts_of.capture(world_, buffer, run.which, 0);
    } catch (...) {
        note_failure(system, {.system = system.number, .error = std::current_exception()});
        throw;
    }
    run.due = report.tick + parts_of.ticks;
    run.under_way = true;
    const auto body = [&run, &buffer, &parts_of, number = system.number, which = run.which] {
        buffer.begin_block(number, 0, 0, false);
        try {
            parts_of.body(nullptr, buffer, which, 0);
        } catch (...) {
            run.error = std::current_exception();
        }
        buffer.end_block();
    };
    if (mode_.pool != nullptr) {
        run.job = mode_.pool->submit(body, {.lane = Lane::background, .name = "background system"});
    } else {
        body();
    }
}

void ScheduleState::choose_systems(Part& part, std::size_t most) {
    for (std::uint32_t i = part.first; i < part.last; ++i) {
        PlannedSystem& system = systems[i];
        system.failed = system.beyond_limit = false;
        system.recorded = 0;
        system.left_out = !system.enabled || i - part.first >= most;
    }
    checking_ = most != kAllSystems;
}

void ScheduleState::run_part(Part& part, std::size_t most) {
    choose_systems(part, most);
    failures_.clear();
    node_errors_.clear();
    part_failed_ = false;
    PhaseReport& phase = report.phases[static_cast<std::size_t>(&part - parts.data())];
    if (phase.name != part.name) phase.name = part.name;
    GraphRunOptions run_options;
    run_options.times = true;  // for the report
    run_options.errors = &node_errors_;
    run_options.after_error = options.errors == ErrorPolicy::stop ? AfterError::stop : AfterError::go_on;
    const std::uint64_t began = quarry::impl::ticks();
    if (mode_.pool != nullptr) {
        part.graph.run(*mode_.pool, run_options);
    } else if (mode_.choose != nullptr) {
        part.graph.run_chosen(*mode_.choose, run_options);
    } else if (mode_.shuffled) {
        part.graph.run_shuffled(mode_.seed, run_options);
    } else {
        part.graph.run_here(run_options);
    }
    const std::uint64_t ended = quarry::impl::ticks();
    report_failures(part);
    gather_segments(part);
    report_part(part, phase, began, ended);
    check_limits();
    apply_commands(part, phase);
    phase.applying = ticks_to_nanoseconds(quarry::impl::ticks() - ended);
    report.commands += phase.commands;
    report.rejected += phase.rejected;
    if (part_failed_ && options.errors == ErrorPolicy::stop) report.stopped = true;
}

// The graph knows of errors that no system has thrown, such as a count that has changed.
void ScheduleState::report_failures(Part& part) {
    if (failures_.empty() && node_errors_.empty()) return;
    for (const NodeError& error : node_errors_) {
        PlannedSystem& system = systems[part.first + error.node];
        if (!system.failed) note_failure(system, {.system = system.number, .error = error.error});
    }
    std::stable_sort(failures_.begin(), failures_.end(), [](const Failure& a, const Failure& b) {
        return a.system != b.system ? a.system < b.system : a.range.first < b.range.first;
    });
    for (const Failure& failure : failures_) {
        std::string what = "something that is no std::exception";
        try {
            std::rethrow_exception(failure.error);
        } catch (const std::exception& error) {
            what = error.what();
        } catch (...) {  // NOLINT(bugprone-empty-catch): the text says so
        }
        report_error(systems[failure.system], failure, std::move(what));
    }
}

void ScheduleState::report_error(const PlannedSystem& system, const Failure& failure, std::string what) {
    part_failed_ = true;
    if (report.errors.size() >= options.most_errors) {
        ++report.errors_beyond;
        return;
    }
    SystemError& error = report.errors.emplace_back();
    error.system = system.spec->name;
    error.phase = parts[system.part].name;
    if (failure.has_range) error.range = failure.range;
    if (failure.has_entity) error.entity = failure.entity;
    error.what = std::move(what);
    error.error = failure.error;
}

}  // namespace quarry::ecs::impl
