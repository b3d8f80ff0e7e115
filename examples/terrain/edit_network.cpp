// Two peers that edit one world over a connection: the host decides on the order, the guest asks it for edits.
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <quarry/jobs/error.hpp>
#include <quarry/terrain/edit_log.hpp>
#include <quarry/terrain/edit_world.hpp>
#include <quarry/terrain/noise_field.hpp>
#include <sys/socket.h>
#include <unistd.h>

namespace terrain = quarry::terrain;

namespace {

constexpr std::uint64_t kSeed = 7;
constexpr int kEditsOfEach = 100;

terrain::EditLogWorld which_world(const terrain::EditWorld& world) {
    return {.lattice = world.options().lattice, .undo_bytes = world.options().undo_bytes, .ground = kSeed};
}

std::shared_ptr<const terrain::Field> hills() {
    return std::make_shared<terrain::NoiseField>(terrain::NoiseOptions{.seed = kSeed});
}

// A stream of bytes, like TCP: nothing is lost, and everything arrives in order, in parts of any size.
class Connection {
  public:
    explicit Connection(int socket) : socket_(socket) {}
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() { close(socket_); }

    void send(const std::vector<std::byte>& bytes) const {
        for (std::size_t sent = 0; sent < bytes.size();) {
            const ssize_t more = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
            if (more < 0) throw quarry::Error("the other side is gone");
            sent += static_cast<std::size_t>(more);
        }
    }
    // What has arrived since the last call. Never waits.
    std::vector<std::byte> receive() const {
        std::vector<std::byte> bytes(4'096);
        const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
        bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
        return bytes;
    }

  private:
    int socket_;
};

// [begin host]
// Decides the order: what it writes into `all` is what happens, for everybody.
class Host {
  public:
    explicit Host(int socket)
        : world_(hills()), all_(which_world(world_)), wishes_(which_world(world_)), guest_(socket) {}

    void edit(const terrain::Edit& edit) {
        world_.apply(edit);
        all_.write(edit);
    }
    void frame() {
        wishes_.feed(guest_.receive());
        while (const std::optional<terrain::NumberedEdit> wish = wishes_.next()) {
            terrain::Edit wanted = wish->edit;
            wanted.editor = 1;  // whatever the guest says, so that it undoes only its own strokes
            try {
                edit(wanted);
            } catch (const std::invalid_argument&) {
                // Out of range: it does not happen for anybody.
            }
        }
        guest_.send(all_.take());
    }
    const terrain::EditWorld& world() const { return world_; }

  private:
    terrain::EditWorld world_;
    terrain::EditLog all_;
    terrain::EditLog wishes_;
    Connection guest_;
};
// [end host]

// [begin guest]
// Asks for edits, and applies what the host has decided, including its own.
class Guest {
  public:
    explicit Guest(int socket)
        : world_(hills()), all_(which_world(world_)), wishes_(which_world(world_)), host_(socket) {}

    void edit(const terrain::Edit& edit) { wishes_.write(edit); }
    void frame() {
        host_.send(wishes_.take());
        all_.feed(host_.receive());
        while (const std::optional<terrain::NumberedEdit> next = all_.next()) {
            const terrain::EditReport report = world_.apply(next->edit);
            if (report.any()) ++changes_;  // a program that shows the world tells its streamer here
        }
    }
    const terrain::EditWorld& world() const { return world_; }
    int changes() const { return changes_; }

  private:
    terrain::EditWorld world_;
    terrain::EditLog all_;
    terrain::EditLog wishes_;
    Connection host_;
    int changes_ = 0;
};
// [end guest]

terrain::Edit stroke(std::uint16_t editor, int step) {
    const double along = 0.4 * step;
    return {.kind = editor == 0 ? terrain::EditKind::dig : terrain::EditKind::add,
            .editor = editor,
            .stroke = static_cast<std::uint32_t>(step / 20) + 1,
            .at = {along, 5 * std::sin(along + editor), 3.0 * editor},
            .radius = 3};
}

// One of the two programs: makes edits in its frames, and goes on until all edits of both have arrived.
template <class Peer>
void play(Peer& peer, std::uint16_t editor) {
    for (int i = 0; peer.world().stats().applied < 2 * kEditsOfEach; ++i) {
        if (i < kEditsOfEach) peer.edit(stroke(editor, i));
        peer.frame();
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    peer.frame();
}

}  // namespace

int main() {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return 1;
    Host host(sockets[0]);
    Guest guest(sockets[1]);
    std::thread elsewhere([&] { play(guest, 1); });
    play(host, 0);
    elsewhere.join();
    const bool equal = host.world().content_hash() == guest.world().content_hash();
    std::printf("%llu edits, the two worlds are %s\n", static_cast<unsigned long long>(host.world().stats().applied),
                equal ? "equal" : "different");
    return equal && guest.changes() > 0 ? 0 : 1;
}
