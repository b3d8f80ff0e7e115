// Two programs that share a world over a connection which loses, delays and reorders what it carries.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "quarry/terrain/edit_log.hpp"
#include "quarry/terrain/edit_world.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "tests/terrain/support.hpp"

namespace quarry::terrain {
namespace {

using Clock = std::chrono::steady_clock;
using Bytes = std::vector<std::byte>;

// Datagrams over a socket: one in four is lost, the others come up to 6 ms late, in any order.
class BadLink {
  public:
    BadLink(int socket, std::uint64_t seed) : socket_(socket), random_(seed) {}

    void send(const Bytes& datagram) {
        ++sent_;
        if (random_() % 4 == 0) return;
        waiting_.emplace(Clock::now() + std::chrono::microseconds(random_() % 6'000), datagram);
    }
    std::vector<Bytes> receive() {
        while (!waiting_.empty() && waiting_.begin()->first <= Clock::now()) {
            const Bytes& datagram = waiting_.begin()->second;
            // What the other side does not take is one more that is lost.
            static_cast<void>(::send(socket_, datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
            waiting_.erase(waiting_.begin());
        }
        std::vector<Bytes> received;
        Bytes buffer(2'048);
        for (;;) {
            const ssize_t size = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
            if (size <= 0) return received;
            received.emplace_back(buffer.begin(), buffer.begin() + size);
        }
    }

  private:
    int socket_;
    std::mt19937_64 random_;
    std::multimap<Clock::time_point, Bytes> waiting_;
    std::uint64_t sent_ = 0;
};

// What TCP does, in short: bytes come out as they went in. A datagram is what the sender has received (8 bytes), the
// number of a part (8 bytes), and the part.
class OrderedBytes {
  public:
    explicit OrderedBytes(BadLink link) : link_(std::move(link)) {}

    void send(const Bytes& bytes) {
        for (std::size_t at = 0; at < bytes.size(); at += kMost) {
            const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at);
            const std::size_t size = std::min(kMost, bytes.size() - at);
            unconfirmed_.emplace_back(first, first + static_cast<std::ptrdiff_t>(size));
        }
    }
    Bytes receive() {
        Bytes bytes;
        for (const Bytes& datagram : link_.receive()) {
            if (datagram.size() < 16) continue;
            const std::uint64_t confirmed = number_in(datagram, 0);
            for (; first_ < confirmed && !unconfirmed_.empty(); ++first_) unconfirmed_.pop_front();
            const std::uint64_t part = number_in(datagram, 8);
            if (datagram.size() > 16 && part >= next_)
                arrived_.emplace(part, Bytes(datagram.begin() + 16, datagram.end()));
        }
        for (auto part = arrived_.find(next_); part != arrived_.end(); part = arrived_.find(++next_)) {
            bytes.insert(bytes.end(), part->second.begin(), part->second.end());
            arrived_.erase(part);
        }
        send_again();
        return bytes;
    }
    bool is_confirmed() const { return unconfirmed_.empty(); }

  private:
    static constexpr std::size_t kMost = 150;
    static constexpr std::size_t kWindow = 8;

    static std::uint64_t number_in(const Bytes& bytes, std::size_t at) {
        std::uint64_t number = 0;
        std::memcpy(&number, bytes.data() + at, sizeof number);
        return number;
    }
    void send_again() {
        if (Clock::now() < next_time_) return;
        next_time_ = Clock::now() + std::chrono::milliseconds(2);
        for (std::size_t i = 0; i < std::max<std::size_t>(1, std::min(kWindow, unconfirmed_.size())); ++i) {
            Bytes datagram(16);
            const std::uint64_t number = first_ + i;
            std::memcpy(datagram.data(), &next_, sizeof next_);
            std::memcpy(datagram.data() + 8, &number, sizeof number);
            if (i < unconfirmed_.size()) {
                datagram.insert(datagram.end(), unconfirmed_[i].begin(), unconfirmed_[i].end());
            }
            link_.send(datagram);
        }
    }

    BadLink link_;
    std::deque<Bytes> unconfirmed_;
    std::uint64_t first_ = 0;  // number of the first of these
    std::map<std::uint64_t, Bytes> arrived_;
    std::uint64_t next_ = 0;  // part that is missing
    Clock::time_point next_time_{};
};

constexpr EditLogWorld kShared{.undo_bytes = 1 << 20, .ground = 3};
constexpr std::uint64_t kEditsOfEach = 80;

std::shared_ptr<const Field> shared_hills() {
    return std::make_shared<NoiseField>(NoiseOptions{.seed = 3, .amplitude = 10});
}

// Both dig in the same place, so the order matters; each undoes some of its own strokes.
Edit wish(std::uint16_t editor, std::uint64_t number) {
    std::mt19937_64 engine(number * 2 + editor);
    const auto real = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(engine);
    };
    const auto stroke = static_cast<std::uint32_t>(number / 8);
    if (number % 20 == 19) return {.kind = EditKind::undo, .editor = editor, .stroke = stroke};
    Edit edit{.kind = static_cast<EditKind>(engine() % 6), .editor = editor, .stroke = stroke};
    edit.at = {real(-9, 9), real(-6, 6), real(-9, 9)};
    edit.radius = static_cast<float>(real(1, 5));
    edit.strength = static_cast<float>(real(0.2, 1));
    edit.amount = static_cast<float>(real(-2, 2));
    return edit;
}

struct Result {
    std::uint64_t hash = 0;
    std::uint64_t applied = 0;
};

// Asks for edits, and makes those that come back.
Result be_guest(int socket, std::uint64_t seed) {
    OrderedBytes connection(BadLink(socket, seed));
    EditLog wishes(kShared);
    EditLog order(kShared);
    EditWorld world(shared_hills(), {.undo_bytes = kShared.undo_bytes});
    std::uint64_t wished = 0;
    const auto end = Clock::now() + std::chrono::seconds(60);
    // A while longer than needed: the other side has to hear that all has arrived.
    auto last = Clock::time_point::max();
    while (Clock::now() < std::min(end, last)) {
        if (wished < kEditsOfEach) {
            wishes.write(wish(2, wished++));
            connection.send(wishes.take());
        }
        order.feed(connection.receive());
        while (const auto next = order.next()) world.apply(next->edit);
        if (world.stats().applied == 2 * kEditsOfEach && last == Clock::time_point::max()) {
            last = Clock::now() + std::chrono::milliseconds(300);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
    return {world.content_hash(), world.stats().applied};
}

// Numbers all edits, its own and the other's, and sends them out.
Result be_host(int socket, std::uint64_t seed) {
    OrderedBytes connection(BadLink(socket, seed));
    EditLog wishes(kShared);
    EditLog order(kShared);
    EditWorld world(shared_hills(), {.undo_bytes = kShared.undo_bytes});
    std::uint64_t own = 0;
    const auto end = Clock::now() + std::chrono::seconds(60);
    const auto make = [&](const Edit& edit) {
        world.apply(edit);
        order.write(edit);
    };
    while (Clock::now() < end && (world.stats().applied < 2 * kEditsOfEach || !connection.is_confirmed())) {
        if (own < kEditsOfEach) make(wish(1, own++));
        wishes.feed(connection.receive());
        while (const auto next = wishes.next()) make(next->edit);
        connection.send(order.take());
        std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
    return {world.content_hash(), world.stats().applied};
}

TEST(EditNetwork, TwoProgramsStayTheSameOverABadConnection) {
    SCOPED_TRACE(seed_text());
    int sockets[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets), 0);
    int report[2];
    ASSERT_EQ(::pipe(report), 0);
    const pid_t guest = ::fork();
    if (guest == 0) {
        const Result result = be_guest(sockets[1], test_seed() + 1);
        const bool is_written = ::write(report[1], &result, sizeof result) == sizeof result;
        ::_exit(is_written ? 0 : 1);
    }
    const Result host = be_host(sockets[0], test_seed() + 2);
    int status = 0;
    ::waitpid(guest, &status, 0);
    EXPECT_EQ(status, 0);
    Result result;
    ASSERT_EQ(::read(report[0], &result, sizeof result), static_cast<ssize_t>(sizeof result));
    for (const int descriptor : {sockets[0], sockets[1], report[0], report[1]}) ::close(descriptor);
    EXPECT_EQ(host.applied, 2 * kEditsOfEach);
    EXPECT_EQ(result.applied, 2 * kEditsOfEach);
    EXPECT_EQ(result.hash, host.hash);
    EXPECT_NE(host.hash, EditWorld(shared_hills()).content_hash());
}

}  // namespace
}  // namespace quarry::terrain
