#include "c/engine.hpp"

#include <bit>
#include <chrono>
#include <cstring>
#include <vector>

#include "c/error.hpp"

namespace {

using namespace quarry::process;
using quarry::c::failed;
using quarry::c::guarded;
using quarry::c::made;
using quarry::c::need_all;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

steady_clock::time_point moment(std::int64_t ns) {
    return steady_clock::time_point(std::chrono::duration_cast<steady_clock::duration>(nanoseconds(ns)));
}

std::vector<std::string> words(const char* const* list) {
    std::vector<std::string> all;
    for (; list != nullptr && *list != nullptr; ++list) all.emplace_back(*list);
    return all;
}

// What the caller knows of a struct, and the defaults for what it does not.
template <class Struct>
Struct known_part(const Struct* given, void (*init)(Struct*)) {
    Struct all;
    init(&all);
    if (given == nullptr) return all;
    if (given->size < sizeof(std::size_t) || given->size > sizeof(Struct)) {
        throw std::invalid_argument(
            "the size of the options is not one that this version knows: use the init function");
    }
    std::memcpy(static_cast<void*>(&all), given, given->size);
    return all;
}

EngineOptions options_of(const quarry_engine_options& given) {
    EngineOptions options;
    options.workers = given.workers;
    options.job_queue = given.job_queue;
    options.result_queue = given.result_queue;
    options.heartbeat = std::chrono::milliseconds(given.heartbeat_ms);
    options.shutdown_timeout = std::chrono::milliseconds(given.shutdown_timeout_ms);
    options.start_timeout = std::chrono::milliseconds(given.start_timeout_ms);
    options.command = words(given.command);
    options.environment = words(given.environment);
    options.output = given.output;
    options.spares = given.spares;
    options.wait = given.wait != 0;
    options.ring_slots = given.ring_slots;
    options.max_payload = given.max_payload;
    options.job_arena = given.job_arena;
    options.result_arena = given.result_arena;
    options.max_states = given.max_states;
    options.memory_limit = given.memory_limit;
    options.work_ahead = std::chrono::microseconds(given.work_ahead_us);
    options.spin = std::chrono::microseconds(given.spin_us);
    options.portable = given.portable != 0;
    return options;
}

JobOptions options_of(const quarry_job_options* given) {
    JobOptions options;
    if (given == nullptr) return options;
    const quarry_job_options all = known_part(given, &quarry_job_options_init);
    if (all.deadline_ns != 0) options.deadline = moment(all.deadline_ns);
    if (all.priority < QUARRY_PRIORITY_LOW || all.priority > QUARRY_PRIORITY_URGENT) {
        throw std::invalid_argument("the priority of a job must be 0 to 3");
    }
    options.priority = static_cast<quarry::Priority>(all.priority);
    options.worker = all.worker;
    if (all.has_frame != 0) options.frame = std::bit_cast<quarry::FrameTag>(all.frame_tag);
    return options;
}

std::span<const std::byte> bytes_of(const void* data, std::size_t length) {
    if (data == nullptr && length != 0) throw std::invalid_argument("a payload of some bytes needs an address");
    return {static_cast<const std::byte*>(data), length};
}

quarry_code answer_of(Refusal refusal, int* out) {
    if (out != nullptr) *out = static_cast<int>(refusal);
    return refusal == Refusal::none ? QUARRY_OK : failed(QUARRY_REFUSED, describe(refusal));
}

// Why the last quarry_engine_send of this thread answered 0.
int& last_refusal() {
    static thread_local int refusal = 0;
    return refusal;
}

template <class Submit>
std::uint64_t sent(Submit submit) {
    last_refusal() = 0;
    std::uint64_t id = 0;
    guarded([&] {
        const Submitted submitted = submit();
        if (submitted) id = submitted.id;
        return answer_of(submitted.refusal, &last_refusal());
    });
    return id;
}

}  // namespace

void quarry_engine_options_init(quarry_engine_options* options) {
    if (options == nullptr) return;
    const EngineOptions defaults;
    *options = {};
    options->size = sizeof *options;
    options->workers = defaults.workers;
    options->job_queue = defaults.job_queue;
    options->result_queue = defaults.result_queue;
    options->heartbeat_ms = static_cast<int>(defaults.heartbeat.count());
    options->shutdown_timeout_ms = static_cast<int>(defaults.shutdown_timeout.count());
    options->start_timeout_ms = static_cast<int>(defaults.start_timeout.count());
    options->output = defaults.output;
    options->spares = defaults.spares;
    options->wait = 1;
    options->ring_slots = defaults.ring_slots;
    options->max_payload = defaults.max_payload;
    options->job_arena = defaults.job_arena;
    options->result_arena = defaults.result_arena;
    options->max_states = defaults.max_states;
    options->memory_limit = defaults.memory_limit;
    options->work_ahead_us = static_cast<int>(defaults.work_ahead.count());
    options->spin_us = static_cast<int>(defaults.spin.count());
}

void quarry_job_options_init(quarry_job_options* options) {
    if (options == nullptr) return;
    *options = {};
    options->size = sizeof *options;
    options->priority = QUARRY_PRIORITY_NORMAL;
    options->worker = -1;
}

quarry_engine* quarry_engine_new(const quarry_engine_options* options) {
    return made([&] {
        need_all(options);
        return new quarry_engine(options_of(known_part(options, &quarry_engine_options_init)));
    });
}

void quarry_engine_free(quarry_engine* engine) {
    delete engine;
}

const char* quarry_refusal_text(int refusal) {
    if (refusal < 0 || refusal > QUARRY_REFUSAL_FAILED) return "";
    return describe(static_cast<Refusal>(refusal));
}

std::int64_t quarry_now_ns(void) {
    return std::chrono::duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

std::uint64_t quarry_type_hash(const char* name) {
    return name == nullptr ? 0 : JobType(name).hash();
}

quarry_code quarry_engine_submit(quarry_engine* engine, const char* type, const void* payload, size_t length,
                                 const quarry_job_options* options, uint64_t* id, int* refusal) {
    return guarded([&] {
        need_all(engine, type, id);
        const Submitted submitted = engine->engine.submit(type, bytes_of(payload, length), options_of(options));
        *id = submitted.id;
        return answer_of(submitted.refusal, refusal);
    });
}

quarry_code quarry_engine_submit_many(quarry_engine* engine, const char* type, size_t count,
                                      const void* const* payloads, const size_t* lengths,
                                      const quarry_job_options* options, uint64_t* ids, size_t* accepted,
                                      int* refusal) {
    return guarded([&] {
        need_all(engine, type, accepted);
        *accepted = 0;
        if (count != 0) need_all(payloads, lengths);
        std::vector<JobRequest> jobs(count, JobRequest{type, {}, options_of(options)});
        for (std::size_t i = 0; i < count; ++i) jobs[i].payload = bytes_of(payloads[i], lengths[i]);
        std::vector<Submitted> answers(count);
        *accepted = engine->engine.submit_many(jobs, answers);
        for (std::size_t i = 0; ids != nullptr && i < *accepted; ++i) ids[i] = answers[i].id;
        return answer_of(*accepted == count ? Refusal::none : answers[*accepted].refusal, refusal);
    });
}

std::uint64_t quarry_engine_send(quarry_engine* engine, const char* type, const void* payload, size_t length,
                                 const quarry_job_options* options) {
    return sent([&] {
        need_all(engine, type);
        return engine->engine.submit(type, bytes_of(payload, length), options_of(options));
    });
}

std::uint64_t quarry_engine_send_parts(quarry_engine* engine, const char* type, const void* const* parts,
                                       const size_t* lengths, size_t count, const quarry_job_options* options) {
    return sent([&] {
        need_all(engine, type);
        if (count != 0) need_all(parts, lengths);
        std::vector<std::span<const std::byte>> all;
        all.reserve(count);
        for (std::size_t i = 0; i < count; ++i) all.push_back(bytes_of(parts[i], lengths[i]));
        return engine->engine.submit_parts(type, all, options_of(options));
    });
}

int quarry_last_refusal(void) {
    return last_refusal();
}

int quarry_engine_cancel(quarry_engine* engine, uint64_t id) {
    return engine == nullptr ? static_cast<int>(Cancel::no_job) : static_cast<int>(engine->engine.cancel(id));
}

quarry_code quarry_engine_wait(quarry_engine* engine, const uint64_t* ids, size_t count, int64_t until_ns) {
    return guarded([&] {
        need_all(engine);
        if (count != 0) need_all(ids);
        return engine->engine.wait({ids, count}, moment(until_ns)) ? QUARRY_OK : QUARRY_TIMEOUT;
    });
}

quarry_code quarry_engine_drain(quarry_engine* engine, int64_t until_ns) {
    return guarded([&] {
        need_all(engine);
        return engine->engine.drain(moment(until_ns)) ? QUARRY_OK : QUARRY_TIMEOUT;
    });
}

quarry_code quarry_engine_broadcast(quarry_engine* engine, const char* key, const void* payload, size_t length,
                                    int* refusal) {
    return guarded([&] {
        need_all(engine, key);
        return answer_of(engine->engine.broadcast(key, bytes_of(payload, length)), refusal);
    });
}

quarry_code quarry_engine_forget(quarry_engine* engine, const char* key) {
    return guarded([&] {
        need_all(engine, key);
        return engine->engine.forget(key) ? QUARRY_OK : QUARRY_NONE;
    });
}

quarry_code quarry_engine_set_idempotent(quarry_engine* engine, const char* type, int idempotent) {
    return guarded([&] {
        need_all(engine, type);
        engine->engine.set_retry(type, idempotent != 0 ? Retry::idempotent : Retry::at_most_once);
        return QUARRY_OK;
    });
}

int quarry_engine_descriptor(quarry_engine* engine) {
    return engine == nullptr ? -1 : engine->engine.descriptor();
}

quarry_code quarry_engine_shutdown(quarry_engine* engine, int64_t timeout_ns, quarry_shutdown_report* report) {
    return guarded([&] {
        need_all(engine);
        const ShutdownReport done = engine->engine.shutdown(nanoseconds(timeout_ns));
        if (report != nullptr) *report = {done.cancelled, done.finished, done.lost, done.exited, done.killed};
        return QUARRY_OK;
    });
}
