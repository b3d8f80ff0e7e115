#include "quarry/process/worker.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

#include "process/channel.hpp"
#include "quarry/jobs/error.hpp"

namespace quarry::process {

void Registry::add(std::string name, Handler handler) {
    if (name.empty() || name.size() > JobType::kMostBytes || name.find('\n') != std::string::npos) {
        throw std::invalid_argument("the name of a handler has 1 to 63 bytes and no line end: " + name);
    }
    if (!handlers_.emplace(JobType(name).hash(), std::move(handler)).second) {
        throw std::invalid_argument("there is a handler of that name already, or one that looks the same: " + name);
    }
    names_.push_back(std::move(name));
}

const Handler* Registry::find(std::uint64_t type) const noexcept {
    const auto found = handlers_.find(type);
    return found == handlers_.end() ? nullptr : &found->second;
}

int JobContext::worker() const noexcept {
    return channel_.number();
}

std::span<std::byte> JobContext::reply(std::size_t bytes) {
    return channel_.make_room(bytes);
}

void JobContext::reply(std::span<const std::byte> bytes) {
    const std::span<std::byte> room = reply(bytes.size());
    std::copy(bytes.begin(), bytes.end(), room.begin());
}

bool JobContext::stop_requested() const noexcept {
    return channel_.asked_to_stop() || channel_.stopping();
}

std::optional<StateView> JobContext::state(std::string_view key) const {
    return channel_.state(key);
}

Worker::Worker() : channel_(std::make_unique<impl::Channel>()) {}
Worker::~Worker() = default;

void Worker::ready(std::span<const std::string> names) {
    std::string text;
    for (const std::string& name : names) text += name + "\n";
    channel_->say(impl::WorkerState::ready, text);
}

void Worker::refuse(std::string_view why) {
    channel_->say(impl::WorkerState::refused, why);
}

JobContext* Worker::take(std::chrono::steady_clock::time_point until) {
    constexpr std::int64_t kForever = 1'000'000'000'000'000'000;
    const auto moment = std::chrono::duration_cast<std::chrono::nanoseconds>(until.time_since_epoch()).count();
    return channel_->take(std::min<std::int64_t>(moment, kForever));
}

bool Worker::stopping() const noexcept {
    return channel_->stopping();
}

void Worker::finish() {
    channel_->publish(impl::Outcome::ok, 0);
}

void Worker::fail(std::string_view text, std::string_view traceback) {
    channel_->publish_error(text.empty() ? "an error without a text" : text, traceback);
}

void Worker::cancelled() {
    channel_->drop_reply();
    channel_->publish(impl::Outcome::cancelled, 0);
}

namespace {

void run(Worker& worker, JobContext& job, const Handler* handler) {
    if (handler == nullptr) {
        worker.fail("this worker has no handler for that type of job");
        return;
    }
    try {
        (*handler)(job);
        worker.finish();
    } catch (const Cancelled&) {
        worker.cancelled();
    } catch (const std::bad_alloc&) {
        worker.fail("out of memory");
    } catch (const std::exception& error) {
        worker.fail(error.what());
    } catch (...) {
        worker.fail("an exception that is no std::exception");
    }
}

}  // namespace

int serve(const Registry& handlers) {
    try {
        Worker worker;
        worker.ready(handlers.names());
        while (!worker.stopping()) {
            JobContext* job = worker.take(std::chrono::steady_clock::time_point::max());
            if (job != nullptr) run(worker, *job, handlers.find(job->type()));
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}

}  // namespace quarry::process
