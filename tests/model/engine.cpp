#include "engine.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <utility>

#include "trace.hpp"
#include "tracked_memory.hpp"

namespace model {

namespace {

constexpr std::size_t kStackSize = 128 * 1024;
Engine* g_active = nullptr;

// Time of the processor: what other programs take is not the model's.
double seconds_since(std::clock_t start) {
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

std::uint32_t bit(std::size_t thread) {
    return std::uint32_t{1} << thread;
}

}  // namespace

Engine::Engine(const Options& options) : options_(options), memory_(*this) {
    for (Thread& each : threads_) each.fiber = std::make_unique<Fiber>(kStackSize);
    if (g_active != nullptr) {
        std::fputs("model: check() inside of check()\n", stderr);
        std::abort();
    }
    g_active = this;
}

Engine::~Engine() {
    g_active = nullptr;
}

Engine& Engine::active() {
    if (g_active == nullptr) {
        std::fputs("model: model atomics are used outside of model::check()\n", stderr);
        std::abort();
    }
    return *g_active;
}

Result Engine::run(const std::function<void()>& set_up) {
    set_up_ = &set_up;
    const auto start = std::clock();
    for (;;) {
        execute();
        ++result_.executions;
        if (failed_) break;
        if (!next_path()) {
            result_.complete = true;
            break;
        }
        if (result_.executions >= options_.max_executions) break;
        if (result_.executions % 256 == 0 && seconds_since(start) > options_.max_seconds) break;
    }
    result_.ok = !failed_;
    result_.seconds = seconds_since(start);
    return result_;
}

bool Engine::next_path() {
    while (!path_.empty() && path_.back().picked + 1 == path_.back().options) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().picked;
    return true;
}

unsigned Engine::choose(unsigned options) {
    if (options == 1) return 0;
    if (position_ == path_.size()) path_.push_back(Choice{0, options});
    const Choice& choice = path_[position_++];
    if (choice.options != options) fail("the model does not repeat itself: it depends on more than its choices");
    return choice.picked;
}

void Engine::execute() {
    memory_.reset();
    position_ = 0;
    preemptions_ = 0;
    steps_ = 0;
    thread_count_ = 1;
    current_ = 0;
    concurrent_ = false;
    trace_.clear();
    threads_[0].fiber->restart(&Engine::fiber_main);
    Fiber::switch_to(controller_, *threads_[0].fiber);
    if (failed_) {
        // Closures of a failed execution are dropped as they are: what they hold is part of its memory.
        for (Thread& each : threads_) new (&each.body) std::function<void()>();
        for (auto& each : after_) new (&each) std::function<void()>();
    }
    after_.clear();
    release_model_memory();
}

void Engine::fiber_main() {
    fiber_entered();
    Engine& engine = active();
    const std::size_t self = engine.current_;
    try {
        const ModelCode inside(true);
        if (self == 0) {
            engine.run_set_up();
        } else {
            engine.threads_[self].body();
        }
    } catch (const std::exception& error) {
        engine.fail(std::string("an exception left the model: ") + error.what());
    } catch (...) {
        engine.fail("an exception left the model");
    }
    engine.threads_[self].state = State::finished;
    if (self == 0) {
        Fiber::switch_to(*engine.threads_[0].fiber, engine.controller_);
    } else {
        engine.leave();
    }
    std::abort();  // a finished fiber is never switched to
}

void Engine::run_set_up() {
    (*set_up_)();
    {
        const ModelCode outside(false);
        for (std::size_t i = 1; i < thread_count_; ++i) {
            memory_.start_thread(0, i);
            Thread& each = threads_[i];
            each.state = State::ready;
            each.waits_on = kNowhere;
            each.arrived = each.paused = false;
            each.waits_for = each.stepped = 0;
            each.fiber->restart(&Engine::fiber_main);
        }
        concurrent_ = thread_count_ > 1;
        threads_[0].state = State::blocked;
        if (concurrent_) leave();
        concurrent_ = false;
        for (std::size_t i = 1; i < thread_count_; ++i) memory_.join_thread(0, i);
    }
    for (auto& each : after_) each();
    // The model's state dies here, where all has happened before.
    for (std::size_t i = 1; i < thread_count_; ++i) threads_[i].body = nullptr;
    for (auto& each : after_) each = nullptr;
    const ModelCode outside(false);
    const std::size_t leaked = live_model_allocations();
    if (leaked != 0) fail("memory leak: " + std::to_string(leaked) + " allocations are not freed");
}

void Engine::add_thread(std::function<void()> body) {
    const ModelCode outside(false);
    if (current_ != 0 || concurrent_) fail("only the set-up may add threads");
    if (thread_count_ == kMostThreads) fail("a model has at most four threads");
    threads_[thread_count_++].body = std::move(body);
}

void Engine::add_after(std::function<void()> body) {
    const ModelCode outside(false);
    after_.push_back(std::move(body));
}

void Engine::observe(const std::string& outcome) {
    const ModelCode outside(false);
    result_.outcomes.insert(std::string(outcome.data(), outcome.size()));
}

bool Engine::eligible(std::size_t index) const {
    const Thread& thread = threads_[index];
    if (thread.state != State::ready || thread.paused) return false;
    std::uint32_t ready = 0;
    for (std::size_t i = 1; i < thread_count_; ++i) {
        if (threads_[i].state == State::ready) ready |= bit(i);
    }
    return (thread.waits_for & ready) == 0;
}

std::vector<std::size_t>& Engine::candidates(bool include_paused) {
    candidates_.clear();
    for (std::size_t i = 1; i < thread_count_; ++i) {
        if (include_paused ? threads_[i].state == State::ready : eligible(i)) candidates_.push_back(i);
    }
    return candidates_;
}

// Before every operation on an atomic: go on, or let another thread go first.
void Engine::step() {
    if (!concurrent_) return;
    if (++steps_ > options_.max_steps) fail("livelock: more steps than max_steps in one execution");
    Thread& self = threads_[current_];
    const std::size_t index = current_;
    if (!self.arrived && preemptions_ < options_.preemptions) {
        auto& others = candidates(false);
        std::erase(others, index);
        const unsigned picked = choose(static_cast<unsigned>(others.size()) + 1);
        if (picked != 0) {
            ++preemptions_;
            switch_to(others[picked - 1]);
        }
    }
    self.arrived = false;
    note_step();
}

void Engine::note_step() {
    for (std::size_t i = 1; i < thread_count_; ++i) {
        if (i == current_) continue;
        threads_[i].paused = false;
        threads_[i].waits_for &= ~bit(current_);
        threads_[i].stepped |= bit(current_);
    }
}

void Engine::switch_to(std::size_t index) {
    const std::size_t from = std::exchange(current_, index);
    threads_[index].arrived = true;
    if (from != index) Fiber::switch_to(*threads_[from].fiber, *threads_[index].fiber);
}

// The current thread cannot or does not want to go on.
void Engine::leave() {
    auto* next = &candidates(false);
    if (next->empty()) next = &candidates(true);
    if (!next->empty()) {
        const unsigned picked = choose(static_cast<unsigned>(next->size()));
        return switch_to((*next)[picked]);
    }
    std::string waiting;
    for (std::size_t i = 1; i < thread_count_; ++i) {
        if (threads_[i].state != State::blocked) continue;
        waiting += " thread " + std::to_string(i) + " waits on " + memory_.name(threads_[i].waits_on) + ";";
    }
    if (!waiting.empty()) fail("deadlock, no thread can wake another:" + std::move(waiting));
    switch_to(0);
}

// A pause lets every other thread that could run make a step before this one is picked again (at the latest
// the second time), so that spinning threads do not keep a third one from running for ever.
void Engine::pause() {
    if (!concurrent_) return;
    const ModelCode outside(false);
    if (++steps_ > options_.max_steps) fail("livelock: more steps than max_steps in one execution");
    Thread& self = threads_[current_];
    memory_.pause(current_);
    self.paused = true;
    self.waits_for = ~(self.stepped | bit(current_));
    self.stepped = 0;
    record("pause", kNowhere, std::memory_order_relaxed, 0, 0);
    leave();
    self.paused = false;
}

void Engine::futex_wait(std::size_t location, std::uint64_t expected) {
    const ModelCode outside(false);
    step();
    const std::uint64_t value = memory_.load_latest(current_, location);
    record(value == expected ? "futex wait: blocks" : "futex wait: returns", location, std::memory_order_relaxed, value,
           0);
    if (value != expected) return;
    if (!concurrent_) fail("a futex wait outside of the threads would block for ever");
    threads_[current_].state = State::blocked;
    threads_[current_].waits_on = location;
    leave();
}

void Engine::futex_wake_one(std::size_t location) {
    const ModelCode outside(false);
    step();
    record("futex wake", location, std::memory_order_relaxed, 0, 0);
    candidates_.clear();
    for (std::size_t i = 1; i < thread_count_; ++i) {
        if (threads_[i].state == State::blocked && threads_[i].waits_on == location) candidates_.push_back(i);
    }
    if (candidates_.empty()) return;
    Thread& woken = threads_[candidates_[choose(static_cast<unsigned>(candidates_.size()))]];
    woken.state = State::ready;
    woken.waits_on = kNowhere;
}

// The caller's frames are left behind and not unwound: `what` must be the only owner of its memory, and be made outside
// of model code.
void Engine::fail(std::string what) {
    const ModelCode outside(false);
    {
        const std::string text = std::move(what);
        result_.failure = describe(text);
    }
    failed_ = true;
    Fiber::switch_to(*threads_[current_].fiber, controller_);
    std::abort();  // a failed execution is never continued
}

std::string Engine::describe(const std::string& what) const {
    return options_.name + ": " + what + "\n" + format_trace(trace_, memory_);
}

}  // namespace model
