#include "quarry/process/worker.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "c/error.hpp"

struct quarry_worker {
    quarry::process::Worker worker;
    quarry::process::JobContext* job = nullptr;
};

namespace {

using quarry::c::guarded;
using quarry::c::made;

quarry::process::JobContext& running_job(const quarry_worker* worker) {
    if (worker == nullptr) throw std::invalid_argument("the worker must not be NULL");
    if (worker->job == nullptr) throw std::invalid_argument("no job has been taken");
    return *worker->job;
}

// Ends the job that was taken.
template <class End>
quarry_code ended(quarry_worker* worker, End end) {
    return guarded([&] {
        running_job(worker);
        worker->job = nullptr;
        end(worker->worker);
        return QUARRY_OK;
    });
}

}  // namespace

quarry_worker* quarry_worker_open(void) {
    return made([] { return new quarry_worker(); });
}

void quarry_worker_close(quarry_worker* worker) {
    delete worker;
}

quarry_code quarry_worker_ready(quarry_worker* worker, const char* const* names, size_t count) {
    return guarded([&] {
        if (worker == nullptr || (names == nullptr && count != 0)) {
            throw std::invalid_argument("the worker and the names must not be NULL");
        }
        worker->worker.ready(std::vector<std::string>(names, names + count));
        return QUARRY_OK;
    });
}

quarry_code quarry_worker_refuse(quarry_worker* worker, const char* why) {
    return guarded([&] {
        if (worker == nullptr || why == nullptr)
            throw std::invalid_argument("the worker and the text must not be NULL");
        worker->worker.refuse(why);
        return QUARRY_OK;
    });
}

quarry_code quarry_worker_take(quarry_worker* worker, int64_t until_ns, quarry_job* job) {
    return guarded([&] {
        if (worker == nullptr || job == nullptr) throw std::invalid_argument("the worker and the job must not be NULL");
        if (worker->job != nullptr) throw std::invalid_argument("finish the job that was taken first");
        using Steady = std::chrono::steady_clock;
        worker->job = worker->worker.take(
            Steady::time_point(std::chrono::duration_cast<Steady::duration>(std::chrono::nanoseconds(until_ns))));
        if (worker->job == nullptr) return worker->worker.stopping() ? QUARRY_NONE : QUARRY_TIMEOUT;
        const auto payload = worker->job->payload();
        *job = {worker->job->id(), worker->job->type(), payload.data(), payload.size()};
        return QUARRY_OK;
    });
}

quarry_code quarry_worker_next(quarry_worker* worker, const void* answer, size_t length, int64_t until_ns,
                               quarry_job* job) {
    return guarded([&] {
        if (worker == nullptr || job == nullptr || (answer == nullptr && length != 0)) {
            throw std::invalid_argument("the worker, the answer and the job must not be NULL");
        }
        if (worker->job != nullptr) {
            worker->job->reply(std::span(static_cast<const std::byte*>(answer), length));
            worker->job = nullptr;
            worker->worker.finish();
        }
        return quarry_worker_take(worker, until_ns, job);
    });
}

void* quarry_worker_reply(quarry_worker* worker, size_t length) {
    return made([&]() -> void* { return running_job(worker).reply(length).data(); });
}

quarry_code quarry_worker_finish(quarry_worker* worker) {
    return ended(worker, [](quarry::process::Worker& each) { each.finish(); });
}

quarry_code quarry_worker_fail(quarry_worker* worker, const char* text, const char* traceback) {
    return ended(worker, [&](quarry::process::Worker& each) {
        each.fail(text == nullptr ? "" : text, traceback == nullptr ? "" : traceback);
    });
}

quarry_code quarry_worker_cancelled(quarry_worker* worker) {
    return ended(worker, [](quarry::process::Worker& each) { each.cancelled(); });
}

int quarry_worker_stop_requested(const quarry_worker* worker) {
    if (worker == nullptr) return 1;
    return worker->worker.stopping() || (worker->job != nullptr && worker->job->stop_requested()) ? 1 : 0;
}

quarry_code quarry_worker_state(const quarry_worker* worker, const char* key, const void** data, size_t* length,
                                uint64_t* version) {
    return guarded([&] {
        if (key == nullptr || data == nullptr || length == nullptr) {
            throw std::invalid_argument("the key and the places for the state must not be NULL");
        }
        const auto state = running_job(worker).state(key);
        if (!state) return QUARRY_NONE;
        *data = state->bytes.data();
        *length = state->bytes.size();
        if (version != nullptr) *version = state->version;
        return QUARRY_OK;
    });
}
