#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "checker.hpp"
#include "fiber.hpp"
#include "memory_model.hpp"

namespace model {

// One line of what a failing execution prints.
struct TraceEntry {
    std::size_t thread;
    const char* operation;
    std::size_t location;  // kNowhere for fences and the like
    std::memory_order order;
    std::uint64_t value;    // loaded or stored
    std::uint64_t earlier;  // what a read-modify-write replaced
    std::size_t staleness;  // how many later stores were passed over
};
inline constexpr std::size_t kNowhere = ~std::size_t{0};

// Explores by running the whole model again for each path: the choices of a path are a list of numbers, and
// the next path changes the last one that has an untried alternative.
class Engine final : public Host {
  public:
    explicit Engine(const Options& options);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    static Engine& active();  // the one whose execution is going on; ends the program if there is none

    Result run(const std::function<void()>& set_up);

    // What the model atomics call.
    std::size_t create(std::uint64_t value);
    void destroy(std::size_t location);
    std::uint64_t load(std::size_t location, std::memory_order order);
    void store(std::size_t location, std::uint64_t value, std::memory_order order);
    std::uint64_t modify(const char* operation, std::size_t location, std::memory_order order,
                         std::memory_order failure_order, const MemoryModel::Change& change);
    void fence(std::memory_order order);
    std::size_t create_plain();
    void read_plain(std::size_t field);
    void write_plain(std::size_t field, bool destroys);
    void futex_wait(std::size_t location, std::uint64_t expected);
    void futex_wake_one(std::size_t location);
    void pause();
    quarry::impl::Mutation mutation() const { return options_.mutation; }
    void set_name(std::size_t location, const char* name);
    void set_plain_name(std::size_t field, const char* name);
    void name_next(std::initializer_list<const char*> names);

    void add_thread(std::function<void()> body);
    void add_after(std::function<void()> body);
    void observe(const std::string& outcome);

    unsigned choose(unsigned options) override;
    [[noreturn]] void fail(std::string what) override;

  private:
    enum class State { unused, ready, blocked, finished };
    struct Thread {
        std::unique_ptr<Fiber> fiber;
        std::function<void()> body;
        State state = State::unused;
        std::size_t waits_on = kNowhere;
        bool arrived = false;         // just switched to: the next step needs no further choice
        bool paused = false;          // no other thread has made a step since
        std::uint32_t waits_for = 0;  // threads that must make a step before this one goes on from a pause
        std::uint32_t stepped = 0;    // threads that have made a step since the last pause
    };
    struct Choice {
        unsigned picked;
        unsigned options;
    };

    static void fiber_main();
    void run_set_up();
    void run_thread(std::size_t index);
    void execute();
    bool next_path();
    void step();
    void note_step();
    bool eligible(std::size_t index) const;
    void switch_to(std::size_t index);
    void leave();
    std::vector<std::size_t>& candidates(bool include_paused);
    void record(const char* operation, std::size_t location, std::memory_order order, std::uint64_t value,
                std::uint64_t earlier);
    std::string describe(const std::string& what) const;
    void release_memory();

    Options options_;
    Result result_;
    MemoryModel memory_;
    std::array<Thread, kMostThreads> threads_;
    std::size_t thread_count_ = 1;
    std::size_t current_ = 0;
    bool concurrent_ = false;  // threads run: before it is set-up, behind it is `after`
    unsigned preemptions_ = 0;
    std::uint64_t steps_ = 0;
    std::vector<Choice> path_;
    std::size_t position_ = 0;
    std::vector<TraceEntry> trace_;
    std::vector<std::function<void()>> after_;
    std::vector<std::size_t> candidates_;
    const std::function<void()>* set_up_ = nullptr;
    bool failed_ = false;
    Fiber controller_;
};

}  // namespace model
