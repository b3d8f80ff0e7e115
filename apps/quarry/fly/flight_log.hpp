#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <quarry/terrain/stream_event.hpp>
#include <quarry/terrain/viewer.hpp>

namespace quarry::app {

enum class FlyStage : std::uint8_t { arrival, flight, rest };

std::string_view name_of(FlyStage stage);

// One update and one delivery: all that they depended on, and what came of them.
struct LoggedFrame {
    FlyStage stage = FlyStage::arrival;
    double seconds = 0;  // of the flight
    std::vector<terrain::Viewer> viewers{};
    std::vector<std::byte> edits{};    // made before the update, as an EditLog gives them
    std::vector<std::byte> journal{};  // of the streamer
    std::uint64_t states = 0;          // hash of all chunks and their states, after the delivery
    std::uint64_t events = 0;          // of all that was handed over, meshes included
    bool is_intact = true;             // the bytes that were read are those that were written
};

// A flight that can be flown again: what `quarry fly --record` writes.
struct FlightLog {
    std::string field = "showcase";
    bool has_edits = false;  // the ground is one that can be dug
    double radius = 0;
    double lod_distance = 0;
    double hysteresis = 0;
    std::int32_t max_lod = 0;
    double hertz = 60;
    double budget_ms = 2;
    std::vector<LoggedFrame> frames{};
    std::uint64_t ground = 0;  // hash of all that edits have changed, at the end

    // Of all that came out.
    std::uint64_t hash() const;
};

// Sums up what a host is handed over.
class EventHash {
  public:
    void add(const terrain::StreamEvent& event);
    std::uint64_t value() const noexcept { return value_; }

  private:
    void add(std::uint64_t number) noexcept;
    void add(double number) noexcept;

    std::uint64_t value_ = 0;
};

std::string bytes_of(const FlightLog& log);
// Throws WrongInput, which begins with the name, for bytes that are no such log, of another version, cut off or
// damaged. Frames whose bytes have changed, but can still be read, are only marked.
FlightLog flight_log_from(std::string_view bytes, const std::string& name);
FlightLog read_flight_log(std::string_view option, const std::string& file);

}  // namespace quarry::app
