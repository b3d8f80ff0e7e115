#include "terrain/streaming/journal.hpp"

#include <limits>
#include <string>
#include <utility>

namespace quarry::terrain {

std::vector<std::byte> StreamerJournal::take() {
    at_ = 0;
    return std::exchange(bytes_, {});
}

void StreamerJournal::give(std::vector<std::byte> recorded) {
    bytes_ = std::move(recorded);
    at_ = 0;
}

namespace streaming {

void Journal::write(Entry entry) {
    journal_->bytes_.push_back(static_cast<std::byte>(entry));
}

void Journal::write(std::uint64_t number) {
    for (; number >= 128; number >>= 7) journal_->bytes_.push_back(static_cast<std::byte>((number & 127) | 128));
    journal_->bytes_.push_back(static_cast<std::byte>(number));
}

void Journal::write(const std::vector<ChunkId>& ids) {
    write(std::uint64_t{ids.size()});
    for (const ChunkId id : ids) {
        write(std::uint64_t{id.slot});
        write(std::uint64_t{id.generation});
    }
}

void Journal::write(const Collected& collected) {
    const bool leaves_out = std::exchange(leaves_out_, false);
    if (!records()) return;
    if (collected.empty()) {
        if (!leaves_out) write(Entry::nothing_came);
        return;
    }
    write(Entry::came);
    write(collected.begun);
    write(collected.ended);
}

void Journal::write_cancel(bool was_cancelled) {
    if (records()) write(was_cancelled ? Entry::cancelled : Entry::not_cancelled);
}

void Journal::write_stop(bool stops) {
    if (records()) write(stops ? Entry::stops : Entry::goes_on);
}

void Journal::write_end_of_wait(bool out_of_time) {
    if (records() && out_of_time) write(Entry::wait_ends);
}

Journal::Entry Journal::next() const {
    if (journal_->is_used_up()) throw ReplayError("more happens than was recorded");
    return static_cast<Entry>(journal_->bytes_[journal_->at_]);
}

Journal::Entry Journal::take(const char* wanted, Entry one, Entry other) {
    const Entry found = next();
    if (found != one && found != other) throw ReplayError(std::string("something else was recorded than ") + wanted);
    ++journal_->at_;
    return found;
}

std::uint64_t Journal::read_number(std::uint64_t most) {
    std::uint64_t number = 0;
    for (int shift = 0; shift < 64 && !journal_->is_used_up(); shift += 7) {
        const auto part = std::to_integer<std::uint64_t>(journal_->bytes_[journal_->at_++]);
        number |= (part & 127) << shift;
        if (part >= 128) continue;
        if (number > most) break;
        return number;
    }
    throw ReplayError("what was recorded is damaged");
}

std::vector<ChunkId> Journal::read_ids() {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    // Each takes two bytes at least.
    std::vector<ChunkId> ids(read_number((journal_->bytes_.size() - journal_->at_) / 2));
    for (ChunkId& id : ids) {
        id.slot = static_cast<std::uint32_t>(read_number(kMost));
        id.generation = static_cast<std::uint32_t>(read_number(kMost));
    }
    return ids;
}

Journal::Collected Journal::read_collected() {
    Collected collected;
    if (take("results of workers", Entry::nothing_came, Entry::came) == Entry::nothing_came) return collected;
    collected.begun = read_ids();
    collected.ended = read_ids();
    return collected;
}

bool Journal::read_cancel() {
    return take("a request that is given up", Entry::cancelled, Entry::not_cancelled) == Entry::cancelled;
}

bool Journal::read_stop() {
    return take("an event that is handed over", Entry::goes_on, Entry::stops) == Entry::stops;
}

bool Journal::read_end_of_wait() {
    if (next() == Entry::came) return false;
    take("a wait for edits", Entry::wait_ends, Entry::wait_ends);
    return true;
}

}  // namespace streaming
}  // namespace quarry::terrain
