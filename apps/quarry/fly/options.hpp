#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <quarry/terrain/description.hpp>
#include <quarry/terrain/streamer_options.hpp>

#include "fly/flight_log.hpp"
#include "fly/path.hpp"

namespace quarry::app {

// What `quarry fly` was asked for, checked.
struct FlyOptions {
    std::string field_name = "showcase";
    terrain::Described described;
    terrain::StreamerOptions streamer;
    std::string path_name = "demo";
    FlightPath path;
    double seconds = 20;
    double hertz = 60;
    double budget_ms = 2;
    double speed = 30;
    double upload_us = 15;  // CPU time that the host spends on a mesh
    bool turns = false;     // looks back every second
    int viewers = 1;
    int workers = 0;
    bool check = false;
    bool dig = false;                             // strokes on the ground ahead of the first viewer
    std::string save{};                           // file for edits; empty: none
    std::uint64_t ground = 0;                     // the field's number in such files
    bool records = false;                         // keeps a log of the flight
    std::shared_ptr<const FlightLog> replayed{};  // flies this again; null: a flight of its own
    std::string video{};                          // folder; empty: none
    double video_hertz = 15;
    int video_height = 360;
    bool video_lods = false;  // levels of detail in colours
};

}  // namespace quarry::app
