#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "c/engine.hpp"
#include "c/error.hpp"
#include "c/structs.hpp"

// What an engine answers: results, figures, health.
namespace {

using namespace quarry::process;
using quarry::c::guarded;
using quarry::c::made;
using quarry::c::need_all;
using std::chrono::nanoseconds;

}  // namespace

struct quarry_results {
    std::vector<Result> results;
    std::vector<quarry_result> views;
};

struct quarry_payload {
    Payload payload;
};

quarry_results* quarry_engine_poll(quarry_engine* engine, size_t most, int64_t budget_ns, size_t* count) {
    return made([&]() -> quarry_results* {
        need_all(engine, count);
        *count = 0;
        std::vector<Result> results;
        engine->engine.poll_into(results, most, budget_ns < 0 ? Engine::kNoLimit : nanoseconds(budget_ns));
        if (results.empty()) return nullptr;
        auto all = std::make_unique<quarry_results>();
        all->results = std::move(results);
        all->views.reserve(all->results.size());
        for (const Result& each : all->results) {
            quarry_result view{};
            view.id = each.id;
            view.status = static_cast<int>(each.status);
            view.poison = each.poison ? 1 : 0;
            view.worker = each.worker;
            view.has_frame = each.frame ? 1 : 0;
            if (each.frame) view.frame_tag = std::bit_cast<std::uint32_t>(*each.frame);
            view.type = each.type;
            view.run_ns = each.run.count();
            view.latency_ns = each.latency.count();
            view.payload = each.payload.bytes().data();
            view.length = each.payload.size();
            view.text = each.text.c_str();
            view.traceback = each.traceback.c_str();
            all->views.push_back(view);
        }
        *count = all->views.size();
        return all.release();
    });
}

const quarry_result* quarry_results_get(const quarry_results* results) {
    return results == nullptr ? nullptr : results->views.data();
}

size_t quarry_results_count(const quarry_results* results) {
    return results == nullptr ? 0 : results->views.size();
}

void quarry_results_free(quarry_results* results) {
    delete results;
}

quarry_payload* quarry_results_detach(quarry_results* results, size_t index) {
    return made([&]() -> quarry_payload* {
        need_all(results);
        if (index >= results->results.size()) throw std::invalid_argument("there is no result of that number");
        Payload& payload = results->results[index].payload;
        // A small one lies in its result, and would move.
        if (!payload.is_shared()) return nullptr;
        return new quarry_payload{std::move(payload)};
    });
}

void quarry_payload_free(quarry_payload* payload) {
    delete payload;
}

int quarry_engine_ready(const quarry_engine* engine) {
    return static_cast<int>(engine == nullptr ? Readiness::failed : engine->engine.ready());
}

quarry_code quarry_engine_get_stats(const quarry_engine* engine, quarry_engine_stats* stats) {
    return guarded([&] {
        need_all(engine, stats);
        const EngineStats now = engine->engine.stats();
        quarry_engine_stats all{};
        all.accepted = now.accepted;
        all.refused = now.refused;
        all.ok = now.ok;
        all.errors = now.errors;
        all.cancelled = now.cancelled;
        all.deadline = now.deadline;
        all.lost = now.lost;
        all.poison = now.poison;
        all.polled = now.polled;
        all.reruns = now.reruns;
        all.restarts = now.restarts;
        all.corrupt = now.corrupt;
        all.hung = now.hung;
        all.late = now.late;
        all.waiting = now.waiting;
        all.running = now.running;
        all.results = now.results;
        all.waiting_high_water = now.waiting_high_water;
        all.job_arena_used = now.job_arena_used;
        all.memory_bound = now.memory_bound;
        all.job_queue_level = static_cast<int>(now.job_queue);
        all.result_queue_level = static_cast<int>(now.result_queue);
        quarry::c::give(all, stats, "quarry_engine_stats");
        return QUARRY_OK;
    });
}

size_t quarry_engine_get_health(const quarry_engine* engine, quarry_worker_health* workers, size_t capacity) {
    std::size_t count = 0;
    guarded([&] {
        need_all(engine);
        const EngineHealth health = engine->engine.health();
        count = health.workers.size();
        for (std::size_t i = 0; workers != nullptr && i < std::min(count, capacity); ++i) {
            const WorkerHealth& each = health.workers[i];
            workers[i] = {each.process, each.alive ? 1 : 0, each.busy ? 1 : 0,           each.lacks_room ? 1 : 0,
                          each.jobs,    each.restarts,      each.since_heartbeat.count()};
        }
        return QUARRY_OK;
    });
    return count;
}

quarry_code quarry_engine_failure(const quarry_engine* engine, char* text, size_t capacity, size_t* length) {
    return guarded([&] {
        need_all(engine, length);
        const std::string failure = engine->engine.health().failure;
        *length = failure.size();
        if (text == nullptr || capacity <= failure.size()) {
            return quarry::c::require(false, "the text takes more than the capacity");
        }
        std::memcpy(text, failure.c_str(), failure.size() + 1);
        return QUARRY_OK;
    });
}
