#include "memory_model.hpp"

#include <utility>

namespace model {

namespace {

constexpr std::uint64_t kFirstLabel = std::uint64_t{1} << 32;
constexpr std::uint64_t kLabelGap = std::uint64_t{1} << 32;

bool acquires(std::memory_order order) {
    return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst || order == std::memory_order_consume;
}
bool releases(std::memory_order order) {
    return order == std::memory_order_release || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
}
bool is_total(std::memory_order order) {
    return order == std::memory_order_seq_cst;
}

}  // namespace

void MemoryModel::reset() {
    for (std::size_t i = 0; i < location_count_; ++i) {
        Location& at = locations_[i];
        at.stores.clear();
        at.accesses.clear();
        at.seen.fill(Seen{});
        at.dead = false;
        at.name.clear();
    }
    location_count_ = 0;
    next_names_.clear();
    plains_.clear();
    threads_.fill(ThreadState{});
    total_.reset();
}

void MemoryModel::start_thread(std::size_t parent, std::size_t child) {
    tick(parent);
    threads_[child].now = threads_[parent].now;
}

void MemoryModel::join_thread(std::size_t parent, std::size_t child) {
    threads_[parent].now.join(threads_[child].now);
}

void MemoryModel::name_next(std::initializer_list<const char*> names) {
    next_names_.assign(names);
}

std::string MemoryModel::name(std::size_t location) const {
    const std::string& given = locations_[location].name;
    return given.empty() ? "atomic " + std::to_string(location) : given;
}

std::size_t MemoryModel::create(std::size_t thread, std::uint64_t value) {
    if (location_count_ == locations_.size()) locations_.emplace_back();
    Location& at = locations_[location_count_];
    if (!next_names_.empty()) {
        at.name = next_names_.front();
        next_names_.pop_front();
    }
    tick(thread);
    at.creator = thread;
    at.created = threads_[thread].now.at[thread];
    at.stores.push_back(Store{kFirstLabel, value, Release{}, false});
    at.accesses.push_back(Access{thread, at.created, place_of_store(kFirstLabel), {}, {}});
    return location_count_++;
}

MemoryModel::Location& MemoryModel::open(std::size_t thread, std::size_t location) {
    Location& at = locations_[location];
    if (at.dead) host_.fail(name(location) + " is used after its destruction");
    if (!threads_[thread].now.covers(at.creator, at.created)) {
        host_.fail("data race: " + name(location) +
                   " is used by a thread that its construction does not happen before");
    }
    tick(thread);
    return at;
}

void MemoryModel::destroy(std::size_t thread, std::size_t location) {
    Location& at = open(thread, location);
    for (const Access& access : at.accesses) {
        if (threads_[thread].now.covers(access.thread, access.time)) continue;
        host_.fail("data race: " + name(location) + " is destroyed while an access by thread " +
                   std::to_string(access.thread) + " does not happen before that");
    }
    at.dead = true;
}

// Coherence: nothing older than what happens before this thread's next event has stored or read.
std::uint64_t MemoryModel::lowest_label(std::size_t thread, const Location& at) const {
    std::uint64_t place = 0;
    for (const Access& access : at.accesses) {
        if (threads_[thread].now.covers(access.thread, access.time)) place = std::max(place, access.place);
    }
    return place / 2;
}

std::uint64_t MemoryModel::lowest_readable(std::size_t thread, const Location& at) const {
    const Seen& seen = at.seen[thread];
    const bool stale = seen.label != 0 && seen.pauses < threads_[thread].pauses;
    const std::uint64_t fresh = stale ? std::min(seen.label + 1, at.stores.back().label) : 0;
    return std::max(lowest_label(thread, at), fresh);
}

// The rules of [atomics.order]/4: if A is before B at a location, then A, or a fence that happens before A,
// precedes in S B, or a fence that B happens before. Only the constraints on what is already executed can
// fail here; those that end in the new event cannot.
bool MemoryModel::consistent(Attempt& attempt, const Location& at) const {
    if (total_.empty()) return true;
    attempt.fences = total_.covered_fences(attempt.happened);
    if (attempt.total) attempt.before = total_.covered(attempt.strongly);
    for (const Access& access : at.accesses) {
        if (access.place > attempt.place) attempt.after |= access.after;
        if (attempt.total && access.place < attempt.place) attempt.before |= access.before;
    }
    if (attempt.after.empty()) return true;
    NodeSet all = attempt.before;
    all |= attempt.fences;
    return !total_.contradicts(all, attempt.after);
}

void MemoryModel::commit(std::size_t thread, const Attempt& attempt, Location& at) {
    const std::uint32_t time = threads_[thread].now.at[thread];
    Access access{thread, time, attempt.place, attempt.fences, {}};
    total_.order(attempt.fences, attempt.after);
    if (attempt.total) {
        if (total_.full()) host_.fail("too many seq_cst operations in one execution for the checker");
        NodeSet self;
        self.add(total_.add(thread, time, false));
        total_.order(attempt.before, self);
        total_.order(self, attempt.after);
        access.before |= self;
        access.after = self;
    }
    at.accesses.push_back(access);
}

MemoryModel::Attempt MemoryModel::attempt(std::size_t thread, std::uint64_t place, std::memory_order order) const {
    const ThreadState& self = threads_[thread];
    Attempt made{place, is_total(order), self.now, self.strongly, {}, {}, {}};
    made.strongly.at[thread] = self.now.at[thread];
    return made;
}

MemoryModel::Attempt MemoryModel::reading(std::size_t thread, const Store& from, std::memory_order order) const {
    Attempt made = attempt(thread, place_of_read(from.label), order);
    if (acquires(order)) made.happened.join(from.released.happened);
    if (is_total(order)) made.strongly.join(from.released.total);
    return made;
}

void MemoryModel::learn(std::size_t thread, const Store& from, std::memory_order order) {
    ThreadState& self = threads_[thread];
    if (acquires(order)) {
        self.now.join(from.released.happened);
        self.strongly.join(from.released.strongly);
    }
    if (is_total(order)) self.strongly.join(from.released.total);
    self.readable.join(from.released);
}

void MemoryModel::note_seen(std::size_t thread, Location& at, std::size_t index) {
    at.seen[thread] = Seen{at.stores[index].label, threads_[thread].pauses};
    last_staleness_ = at.stores.size() - 1 - index;
}

std::uint64_t MemoryModel::load(std::size_t thread, std::size_t location, std::memory_order order) {
    if (order == std::memory_order_acq_rel) order = std::memory_order_acquire;
    Location& at = open(thread, location);
    const std::uint64_t lowest = lowest_readable(thread, at);
    options_.clear();
    attempts_.clear();
    for (std::size_t i = at.stores.size(); i-- > 0 && at.stores[i].label >= lowest;) {
        Attempt tried = reading(thread, at.stores[i], order);
        if (!consistent(tried, at)) continue;
        options_.push_back(i);
        attempts_.push_back(tried);
    }
    const unsigned picked = host_.choose(static_cast<unsigned>(options_.size()));
    const std::size_t index = options_[picked];
    learn(thread, at.stores[index], order);
    commit(thread, attempts_[picked], at);
    note_seen(thread, at, index);
    return at.stores[index].value;
}

std::uint64_t MemoryModel::load_latest(std::size_t thread, std::size_t location) {
    Location& at = open(thread, location);
    Attempt latest = reading(thread, at.stores.back(), std::memory_order_relaxed);
    consistent(latest, at);
    learn(thread, at.stores.back(), std::memory_order_relaxed);
    commit(thread, latest, at);
    note_seen(thread, at, at.stores.size() - 1);
    return at.stores.back().value;
}

std::uint64_t MemoryModel::label_after(const Location& at, std::size_t index) {
    const std::uint64_t label = at.stores[index].label;
    if (index + 1 == at.stores.size()) return label + kLabelGap;
    const std::uint64_t next = at.stores[index + 1].label;
    if (next - label < 2) host_.fail("too many stores between two others for the checker");
    return label + (next - label) / 2;
}

// Of a releasing event's own thread, all but the event itself strongly happens before what follows the
// reader; the event itself does if both are seq_cst.
MemoryModel::Release MemoryModel::release(std::size_t thread, std::memory_order order,
                                          const Clock& strongly_before) const {
    const ThreadState& self = threads_[thread];
    if (!releases(order)) return self.fenced;
    Release released{self.now, strongly_before, {}};
    released.strongly.at[thread] = self.now.at[thread] - 1;
    if (is_total(order)) {
        released.total = self.strongly;
        released.total.at[thread] = self.now.at[thread];
    }
    // Stores behind a release fence release what it did, whatever else they release.
    released.join(self.fenced);
    return released;
}

void MemoryModel::store(std::size_t thread, std::size_t location, std::uint64_t value, std::memory_order order) {
    if (order == std::memory_order_acq_rel) order = std::memory_order_release;
    Location& at = open(thread, location);
    const std::uint64_t lowest = lowest_label(thread, at);
    options_.clear();
    attempts_.clear();
    for (std::size_t i = at.stores.size(); i-- > 0 && at.stores[i].label >= lowest;) {
        if (at.stores[i].modified) continue;
        Attempt tried = attempt(thread, place_of_store(label_after(at, i)), order);
        if (!consistent(tried, at)) continue;
        options_.push_back(i);
        attempts_.push_back(tried);
    }
    const unsigned picked = host_.choose(static_cast<unsigned>(options_.size()));
    const std::size_t index = options_[picked];
    commit(thread, attempts_[picked], at);
    const Store added{label_after(at, index), value, release(thread, order, threads_[thread].strongly), false};
    at.stores.insert(at.stores.begin() + static_cast<std::ptrdiff_t>(index) + 1, added);
    last_staleness_ = at.stores.size() - 2 - index;
}

std::uint64_t MemoryModel::modify(std::size_t thread, std::size_t location, std::memory_order order,
                                  std::memory_order failure_order, const Change& change) {
    Location& at = open(thread, location);
    const std::uint64_t lowest = lowest_readable(thread, at);
    options_.clear();
    attempts_.clear();
    for (std::size_t i = at.stores.size(); i-- > 0 && at.stores[i].label >= lowest;) {
        const bool stores = change(at.stores[i].value).has_value();
        if (stores && at.stores[i].modified) continue;
        Attempt tried = reading(thread, at.stores[i], stores ? order : failure_order);
        if (stores) tried.place = place_of_store(label_after(at, i));
        if (!consistent(tried, at)) continue;
        options_.push_back(i);
        attempts_.push_back(tried);
    }
    const unsigned picked = host_.choose(static_cast<unsigned>(options_.size()));
    const std::size_t index = options_[picked];
    const Store from = at.stores[index];
    const std::optional<std::uint64_t> value = change(from.value);
    const Clock strongly_before = threads_[thread].strongly;
    learn(thread, from, value ? order : failure_order);
    commit(thread, attempts_[picked], at);
    note_seen(thread, at, index);
    if (value) {
        // A read-modify-write continues the release sequence of the store that it read.
        Store added{label_after(at, index), *value, release(thread, order, strongly_before), false};
        added.released.join(from.released);
        at.stores[index].modified = true;
        at.stores.insert(at.stores.begin() + static_cast<std::ptrdiff_t>(index) + 1, added);
    }
    return from.value;
}

void MemoryModel::fence(std::size_t thread, std::memory_order order) {
    tick(thread);
    ThreadState& self = threads_[thread];
    const Clock strongly_before = self.strongly;
    if (acquires(order)) {
        self.now.join(self.readable.happened);
        self.strongly.join(self.readable.strongly);
    }
    if (is_total(order)) order_fence(thread, strongly_before);
    if (releases(order)) {
        // A fence is not an atomic operation: it has no part in Release::total.
        self.fenced.join(release(thread, std::memory_order_release, self.strongly));
    }
}

void MemoryModel::order_fence(std::size_t thread, const Clock& strongly_before) {
    if (total_.full()) host_.fail("too many seq_cst operations in one execution for the checker");
    const Clock& now = threads_[thread].now;
    Clock strongly = strongly_before;
    strongly.at[thread] = now.at[thread];
    NodeSet before = total_.covered(strongly);
    const std::size_t node = total_.add(thread, now.at[thread], true);
    for (std::size_t i = 0; i < location_count_; ++i) {
        std::uint64_t last = 0;
        for (Access& access : locations_[i].accesses) {
            if (!now.covers(access.thread, access.time)) continue;
            last = std::max(last, access.place);
            access.after.add(node);
        }
        for (const Access& access : locations_[i].accesses) {
            if (access.place < last) before |= access.before;
        }
    }
    NodeSet self;
    self.add(node);
    total_.order(before, self);
}

std::string MemoryModel::plain_name(std::size_t field) const {
    return plains_[field].name.empty() ? "plain " + std::to_string(field) : plains_[field].name;
}

std::size_t MemoryModel::create_plain(std::size_t thread) {
    tick(thread);
    plains_.push_back(PlainState{thread, threads_[thread].now.at[thread], {}, false, {}});
    return plains_.size() - 1;
}

void MemoryModel::read_plain(std::size_t thread, std::size_t field) {
    PlainState& at = plains_[field];
    if (at.dead) host_.fail(plain_name(field) + " is read after its destruction");
    if (!threads_[thread].now.covers(at.writer, at.written)) {
        host_.fail("data race: " + plain_name(field) + " is read, and a write by thread " + std::to_string(at.writer) +
                   " does not happen before that");
    }
    tick(thread);
    at.reads.at[thread] = threads_[thread].now.at[thread];
}

void MemoryModel::write_plain(std::size_t thread, std::size_t field, bool destroys) {
    PlainState& at = plains_[field];
    const char* does = destroys ? " is destroyed" : " is written";
    if (at.dead) host_.fail(plain_name(field) + does + " after its destruction");
    const Clock& now = threads_[thread].now;
    bool ordered = now.covers(at.writer, at.written);
    for (std::size_t i = 0; i < kMostThreads; ++i) ordered &= now.covers(i, at.reads.at[i]);
    if (!ordered) {
        host_.fail("data race: " + plain_name(field) + does +
                   ", and an access of another thread does not happen before that");
    }
    tick(thread);
    at.writer = thread;
    at.written = now.at[thread];
    at.dead = destroys;
}

}  // namespace model
