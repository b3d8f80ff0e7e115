#include <bit>
#include <chrono>
#include <cstring>
#include <memory>
#include <sstream>

#include "c/error.hpp"
#include "quarry/frame/frame_clock.hpp"
#include "quarry/frame/frame_ledger.hpp"

struct quarry_clock {
    quarry::FrameClock clock;
};
struct quarry_ledger {
    explicit quarry_ledger(const quarry::FrameLedgerOptions& options) : ledger(options) {}
    quarry::FrameLedger ledger;
};

namespace {

using quarry::c::guarded;
using quarry::c::made;
using Clock = std::chrono::steady_clock;

template <class Object>
Object& there(Object* object) {
    if (object == nullptr) throw std::invalid_argument("a pointer that must not be NULL is NULL");
    return *object;
}

}  // namespace

quarry_clock* quarry_clock_new(double hertz, int max_catch_up) {
    return made([&] { return new quarry_clock{quarry::FrameClock(hertz, max_catch_up)}; });
}

void quarry_clock_free(quarry_clock* clock) {
    delete clock;
}

int quarry_clock_advance(quarry_clock* clock, int64_t now_ns, int64_t* dropped) {
    if (clock == nullptr) return 0;
    const auto now = Clock::time_point(std::chrono::duration_cast<Clock::duration>(std::chrono::nanoseconds(now_ns)));
    const quarry::FrameSteps steps = clock->clock.advance(now);
    if (dropped != nullptr) *dropped = steps.dropped_steps;
    return steps.steps;
}

double quarry_clock_interpolation(const quarry_clock* clock) {
    return clock == nullptr ? 0 : clock->clock.interpolation();
}

int64_t quarry_clock_next_step_ns(const quarry_clock* clock) {
    if (clock == nullptr) return 0;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(clock->clock.next_step().time_since_epoch()).count();
}

quarry_ledger* quarry_ledger_new(double hertz, int drop_older_than) {
    return made([&] {
        quarry::FrameLedgerOptions options;
        options.hertz = hertz;
        if (drop_older_than >= 0) options.stale = quarry::StalePolicy::drop_older_than(drop_older_than);
        return new quarry_ledger(options);
    });
}

void quarry_ledger_free(quarry_ledger* ledger) {
    delete ledger;
}

quarry_code quarry_ledger_begin_frame(quarry_ledger* ledger, uint64_t* frame) {
    return guarded([&] {
        const std::uint64_t number = there(ledger).ledger.begin_frame();
        if (frame != nullptr) *frame = number;
        return QUARRY_OK;
    });
}

quarry_code quarry_ledger_end_frame(quarry_ledger* ledger) {
    return guarded([&] {
        there(ledger).ledger.end_frame();
        return QUARRY_OK;
    });
}

uint32_t quarry_ledger_submitted(quarry_ledger* ledger) {
    return ledger == nullptr ? 0 : std::bit_cast<std::uint32_t>(ledger->ledger.submitted());
}

void quarry_ledger_withdrawn(quarry_ledger* ledger, uint32_t tag) {
    if (ledger != nullptr) ledger->ledger.withdrawn(std::bit_cast<quarry::FrameTag>(tag));
}

quarry_code quarry_ledger_returned(quarry_ledger* ledger, uint32_t tag, int* apply) {
    return guarded([&] {
        const bool wanted = there(ledger).ledger.returned(std::bit_cast<quarry::FrameTag>(tag));
        if (apply != nullptr) *apply = wanted ? 1 : 0;
        return QUARRY_OK;
    });
}

quarry_code quarry_ledger_get_stats(const quarry_ledger* ledger, quarry_ledger_stats* stats) {
    return guarded([&] {
        const quarry::FrameLedgerStats now = there(ledger).ledger.stats();
        if (there(stats).size < sizeof stats->size || stats->size > sizeof *stats) {
            throw std::invalid_argument("set the size of quarry_ledger_stats to sizeof of it");
        }
        quarry_ledger_stats all{};
        all.size = stats->size;
        all.frames = now.frames;
        all.submitted = now.submitted;
        all.returned = now.returned;
        all.withdrawn = now.withdrawn;
        all.stale = now.stale;
        all.dropped = now.dropped;
        all.latency_max = now.latency_max;
        all.missed_frames = now.missed_frames;
        all.overrun_frames = now.overrun_frames;
        all.mean_latency = now.mean_latency();
        all.stale_percent = now.stale_percent();
        std::memcpy(static_cast<void*>(stats), &all, stats->size);
        return QUARRY_OK;
    });
}

quarry_code quarry_ledger_json(const quarry_ledger* ledger, char* text, size_t capacity, size_t* length) {
    return guarded([&] {
        std::ostringstream out;
        there(ledger).ledger.write_json(out);
        const std::string json = out.str();
        if (length != nullptr) *length = json.size();
        if (text == nullptr || capacity <= json.size()) throw std::invalid_argument("the text needs more room");
        std::memcpy(text, json.c_str(), json.size() + 1);
        return QUARRY_OK;
    });
}
