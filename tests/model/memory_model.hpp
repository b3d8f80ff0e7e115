#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "clock.hpp"
#include "total_order.hpp"

namespace model {

// What the memory model asks of the explorer.
class Host {
  public:
    virtual unsigned choose(unsigned options) = 0;
    [[noreturn]] virtual void fail(std::string what) = 0;

  protected:
    ~Host() = default;
};

// C++20's rules for atomics, fences and plain fields, for executions in which no load returns a store that
// has not been executed yet. README.md says how, and where it is stricter or looser than the standard.
//
// A store takes any place in its location's modification order, and a load returns any store, that coherence,
// atomicity of read-modify-writes and the single total order of seq_cst operations leave open.
class MemoryModel {
  public:
    explicit MemoryModel(Host& host) : host_(host) {}

    void reset();

    // How a new thread, the end of a thread, and a voluntary pause look to the memory model.
    void start_thread(std::size_t parent, std::size_t child);
    void join_thread(std::size_t parent, std::size_t child);
    // After a pause a thread does not read again, from any location, a store it read before, if there is a
    // later one.
    void pause(std::size_t thread) { ++threads_[thread].pauses; }

    std::size_t create(std::size_t thread, std::uint64_t value);
    void destroy(std::size_t thread, std::size_t location);
    void set_name(std::size_t location, std::string name) { locations_[location].name = std::move(name); }
    void name_next(std::initializer_list<const char*> names);
    std::string name(std::size_t location) const;

    std::uint64_t load(std::size_t thread, std::size_t location, std::memory_order order);
    // The last store in modification order: what a system call sees.
    std::uint64_t load_latest(std::size_t thread, std::size_t location);
    void store(std::size_t thread, std::size_t location, std::uint64_t value, std::memory_order order);

    // `change` answers what to store instead of the value it is given, or nothing for a compare-exchange that
    // fails.
    using Change = std::function<std::optional<std::uint64_t>(std::uint64_t)>;
    std::uint64_t modify(std::size_t thread, std::size_t location, std::memory_order order,
                         std::memory_order failure_order, const Change& change);
    void fence(std::size_t thread, std::memory_order order);

    std::size_t create_plain(std::size_t thread);
    void read_plain(std::size_t thread, std::size_t field);
    void write_plain(std::size_t thread, std::size_t field, bool destroys);
    void set_plain_name(std::size_t field, std::string name) { plains_[field].name = std::move(name); }

    std::string plain_name(std::size_t field) const;

    // How many later stores the last load or modify passed over.
    std::size_t last_staleness() const { return last_staleness_; }

  private:
    // What a reader that acquires a store learns.
    struct Release {
        Clock happened;  // happens before the reader
        Clock strongly;  // strongly happens before what follows the reader in its thread
        Clock total;     // strongly happens before the reader itself, and what follows it, if that is seq_cst

        void join(const Release& other) {
            happened.join(other.happened);
            strongly.join(other.strongly);
            total.join(other.total);
        }
    };
    struct Store {
        std::uint64_t label;  // ascends in modification order; gaps leave room for stores in between
        std::uint64_t value;
        Release released;
        bool modified;  // the next store is a read-modify-write of this one: nothing may come between
    };
    // Where an event stands in the order of its location: at a store, or just behind the store that it read.
    struct Access {
        std::size_t thread;
        std::uint32_t time;
        std::uint64_t place;
        NodeSet before;  // what precedes in S all that follows this access at the location
        NodeSet after;   // what follows in S all that precedes this access at the location
    };
    struct Seen {
        std::uint64_t label = 0;
        std::uint32_t pauses = 0;
    };
    struct Location {
        std::vector<Store> stores;
        std::vector<Access> accesses;
        std::array<Seen, kMostThreads> seen{};
        std::size_t creator = 0;
        std::uint32_t created = 0;
        bool dead = false;
        std::string name;
    };
    struct PlainState {
        std::size_t writer = 0;
        std::uint32_t written = 0;
        Clock reads;
        bool dead = false;
        std::string name;
    };
    struct ThreadState {
        Clock now;
        Clock strongly;    // as Release::strongly; of its own events a thread knows all
        Release readable;  // released by stores that were read without acquire: an acquire fence collects it
        Release fenced;    // as of the last release fence: what stores without release still release
        std::uint32_t pauses = 0;
    };
    // An event about to be placed, and what S would have to say about it.
    struct Attempt {
        std::uint64_t place;
        bool total;      // seq_cst
        Clock happened;  // happens before it
        Clock strongly;  // strongly happens before it
        NodeSet before;  // precedes it in S
        NodeSet fences;  // fences that happen before it: they precede in S all that follows it at the location
        NodeSet after;   // follows it in S
    };

    static std::uint64_t place_of_store(std::uint64_t label) { return 2 * label; }
    static std::uint64_t place_of_read(std::uint64_t label) { return 2 * label + 1; }

    Location& open(std::size_t thread, std::size_t location);
    void tick(std::size_t thread) { ++threads_[thread].now.at[thread]; }
    std::uint64_t lowest_label(std::size_t thread, const Location& at) const;
    std::uint64_t lowest_readable(std::size_t thread, const Location& at) const;
    bool consistent(Attempt& attempt, const Location& at) const;
    void commit(std::size_t thread, const Attempt& attempt, Location& at);
    Attempt attempt(std::size_t thread, std::uint64_t place, std::memory_order order) const;
    Attempt reading(std::size_t thread, const Store& from, std::memory_order order) const;
    void learn(std::size_t thread, const Store& from, std::memory_order order);
    void note_seen(std::size_t thread, Location& at, std::size_t index);
    std::uint64_t label_after(const Location& at, std::size_t index);
    Release release(std::size_t thread, std::memory_order order, const Clock& strongly_before) const;
    void order_fence(std::size_t thread, const Clock& strongly_before);

    Host& host_;
    std::deque<Location> locations_;
    std::deque<const char*> next_names_;
    std::size_t location_count_ = 0;
    std::vector<PlainState> plains_;
    std::array<ThreadState, kMostThreads> threads_{};
    TotalOrder total_;
    std::size_t last_staleness_ = 0;
    std::vector<std::size_t> options_;
    std::vector<Attempt> attempts_;
};

}  // namespace model
