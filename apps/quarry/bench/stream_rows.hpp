#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/description.hpp>

namespace quarry::app {

class StreamPeer;

// What a row of `quarry bench stream` is measured on.
struct StreamBench {
    Pool& pool;
    const terrain::Described& described;
    double seconds = 20;  // of each flight
    StreamPeer* peer = nullptr;
};

// One figure of one run.
struct StreamFigure {
    std::string name;
    std::string unit;
    double value = 0;
    std::string_view engine = "quarry";
};

// Of chunks a second more is better, of all other figures less; of triangles neither is.
inline constexpr std::string_view kRateUnit = "chunks/s";
inline constexpr std::string_view kTrianglesUnit = "triangles";

struct StreamRow {
    std::string_view name;
    std::string_view what;
    bool is_flight;  // takes the seconds of a flight, and is measured once
    std::vector<StreamFigure> (*measure)(const StreamBench& bench);
    bool takes_long = false;  // measured only if that is asked for
};

std::span<const StreamRow> stream_rows();

// What a figure should not exceed on two cores with the noise field.
std::optional<double> stream_aim(std::string_view figure);

// The same for `quarry bench edit`.
std::span<const StreamRow> edit_rows();
std::optional<double> edit_aim(std::string_view figure);
// Rows of it, in files of their own: digs under a body, edits that are saved.
std::vector<StreamFigure> measure_collision(const StreamBench& bench);
std::vector<StreamFigure> measure_saved_strokes(const StreamBench& bench);
std::vector<StreamFigure> measure_open(const StreamBench& bench);

}  // namespace quarry::app
