#include <algorithm>
#include <bit>
#include <cstdio>
#include <ostream>

#include "ecs/schedule_state.hpp"
#include "jobs/os/os.hpp"

namespace quarry::ecs {

namespace impl {

std::chrono::nanoseconds ticks_to_nanoseconds(std::uint64_t ticks) noexcept {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(
        static_cast<double>(ticks) * 1000 / static_cast<double>(quarry::impl::os::ticks_per_microsecond())));
}

void ScheduleState::report_part(Part& part, PhaseReport& phase, std::uint64_t began, std::uint64_t ended) {
    const std::chrono::nanoseconds start = ticks_to_nanoseconds(began - began_);
    phase.first_system = part.first;
    phase.last_system = part.last;
    phase.started = start;
    phase.ended = ticks_to_nanoseconds(ended - began_);
    std::chrono::nanoseconds sum{};
    std::int64_t longest = 0;
    for (std::uint32_t i = part.first; i < part.last; ++i) {
        const NodeTimes times = part.graph.times(i - part.first);
        SystemReport& system = report.systems[i];
        const bool left_out = systems[i].left_out && times.outcome == NodeOutcome::done;
        system.outcome = left_out ? NodeOutcome::skipped : systems[i].failed ? NodeOutcome::failed : times.outcome;
        system.ready = start + times.ready;
        system.started = start + times.started;
        system.ended = start + times.ended;
        system.ranges = system.workers = system.outcome == NodeOutcome::done ? 1 : 0;
        system.steals = 0;
        system.commands = 0;
        sum += system.time();
        std::int64_t before = 0;
        for (const std::uint32_t at : systems[i].before) before = std::max(before, path_[part.first + at]);
        path_[i] = before + system.time().count();
        longest = std::max(longest, path_[i]);
    }
    for (std::size_t i = 0; i < segments_.size();) {
        SystemReport& system = report.systems[segments_[i].system];
        const std::uint32_t number = segments_[i].system;
        const std::uint32_t first_worker = segments_[i].worker;
        std::uint64_t workers = 0;
        system.ranges = system.steals = 0;
        for (; i < segments_.size() && segments_[i].system == number; ++i) {
            ++system.ranges;
            workers |= std::uint64_t{1} << (segments_[i].worker % 64);
            if (segments_[i].worker != first_worker) ++system.steals;
        }
        system.workers = static_cast<std::uint32_t>(std::popcount(workers));
    }
    phase.critical_path = std::chrono::nanoseconds(longest);
    const double wall = static_cast<double>((phase.ended - phase.started).count());
    phase.parallel_efficiency = wall > 0 ? static_cast<double>(sum.count()) / wall / report.workers : 0;
}

void ScheduleState::leave_out(Part& part) {
    for (std::uint32_t i = part.first; i < part.last; ++i) {
        report.systems[i] = {};
        report.systems[i].name = &systems[i].spec->name;
    }
}

}  // namespace impl

void TickReport::rethrow() const {
    if (errors.empty()) return;
    const SystemError& first = errors.front();
    if (first.error != nullptr) std::rethrow_exception(first.error);
    throw Error('"' + first.system + "\": " + first.what);
}

namespace {

std::string json_text(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(c));
            result += escape;
        } else {
            result += c;
        }
    }
    return result + '"';
}

const char* outcome_text(NodeOutcome outcome) {
    switch (outcome) {
        case NodeOutcome::done:
            return "done";
        case NodeOutcome::skipped:
            return "skipped";
        case NodeOutcome::failed:
            return "failed";
        case NodeOutcome::not_run:
            return "not run";
        case NodeOutcome::cancelled:
            return "cancelled";
        case NodeOutcome::deferred:
            return "deferred";
    }
    return "";
}

double microseconds(std::chrono::nanoseconds time) {
    return static_cast<double>(time.count()) / 1000;
}

void write_system(std::ostream& out, const SystemReport& system) {
    out << "{\"name\": " << json_text(*system.name) << ", \"outcome\": \"" << outcome_text(system.outcome)
        << "\", \"started_us\": " << microseconds(system.started) << ", \"time_us\": " << microseconds(system.time())
        << ", \"wait_us\": " << microseconds(system.wait()) << ", \"ranges\": " << system.ranges
        << ", \"workers\": " << system.workers << ", \"steals\": " << system.steals
        << ", \"commands\": " << system.commands << '}';
}

void write_error(std::ostream& out, const SystemError& error) {
    out << "{\"system\": " << json_text(error.system) << ", \"phase\": " << json_text(error.phase);
    if (error.range) out << ", \"first\": " << error.range->first << ", \"last\": " << error.range->last;
    if (error.entity) out << ", \"entity\": " << *error.entity;
    out << ", \"what\": " << json_text(error.what) << '}';
}

template <class List, class Write>
void write_list(std::ostream& out, const List& list, Write write) {
    out << '[';
    const char* separator = "";
    for (const auto& each : list) {
        out << separator;
        write(each);
        separator = ", ";
    }
    out << ']';
}

}  // namespace

void TickReport::write_json(std::ostream& out) const {
    out << "{\"tick\": " << tick << ", \"workers\": " << workers << ", \"wall_us\": " << microseconds(wall)
        << ", \"commands\": " << commands << ", \"rejected\": " << rejected
        << ", \"stopped\": " << (stopped ? "true" : "false") << ", \"errors_beyond\": " << errors_beyond
        << ",\n\"phases\": ";
    write_list(out, phases, [&](const PhaseReport& phase) {
        out << "{\"name\": " << json_text(phase.name) << ", \"started_us\": " << microseconds(phase.started)
            << ", \"wall_us\": " << microseconds(phase.ended - phase.started)
            << ", \"applying_us\": " << microseconds(phase.applying)
            << ", \"critical_path_us\": " << microseconds(phase.critical_path)
            << ", \"parallel_efficiency\": " << phase.parallel_efficiency << ", \"commands\": " << phase.commands
            << ", \"rejected\": " << phase.rejected << '}';
    });
    out << ",\n\"systems\": ";
    write_list(out, systems, [&](const SystemReport& system) { write_system(out, system); });
    out << ",\n\"errors\": ";
    write_list(out, errors, [&](const SystemError& error) { write_error(out, error); });
    out << "}\n";
}

}  // namespace quarry::ecs
