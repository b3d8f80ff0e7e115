#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <quarry/terrain/field.hpp>
#include <quarry/terrain/viewer.hpp>

namespace quarry::app {

// Where a viewer is at any time of a flight.
class FlightPath {
  public:
    // A round trip in the shape of an eight, some units above the ground, at so many units a second.
    static FlightPath demo(const terrain::Field& field, double speed);
    // Lines of `seconds x y z`, in the order of time; # begins a comment. Straight in between, and where the last line
    // is, it ends. Throws WrongInput that names the line.
    static FlightPath from_text(const std::string& text, const std::string& name);
    static FlightPath from_file(const std::string& file);

    // The viewer looks where it flies to. A demo begins again after its end; others stay where they end.
    terrain::Viewer at(double time) const;
    double seconds() const { return points_.back().seconds; }

  private:
    struct Point {
        double seconds;
        terrain::Position at;
    };

    std::vector<Point> points_;
    bool round_trip_ = false;
};

}  // namespace quarry::app
