#include "fly/path.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include <fmt/format.h>
#include <quarry/terrain/raycast.hpp>

#include "tools/input.hpp"

namespace quarry::app {
namespace {

constexpr double kHalfWidth = 500;  // of the demo's round trip
constexpr int kDemoPoints = 512;
constexpr double kAboveGround = 14;
constexpr double kHighest = 1'000;  // no ground of the demo's fields is higher
constexpr std::size_t kMostPathBytes = std::size_t{1} << 24;

double length(const terrain::Position& a, const terrain::Position& b) {
    return std::hypot(b.x - a.x, b.y - a.y, b.z - a.z);
}

// Not lower than the ground within some points ahead and behind, and without sharp bends.
std::vector<double> smooth_heights(const std::vector<double>& ground) {
    const auto at = [](const std::vector<double>& list, std::ptrdiff_t i) {
        const auto size = static_cast<std::ptrdiff_t>(list.size());
        return list[static_cast<std::size_t>((i % size + size) % size)];
    };
    constexpr std::ptrdiff_t kReach = 6;
    std::vector<double> highest(ground.size());
    std::vector<double> smooth(ground.size());
    const auto size = static_cast<std::ptrdiff_t>(ground.size());
    for (std::ptrdiff_t i = 0; i < size; ++i) {
        double most = at(ground, i);
        for (std::ptrdiff_t j = -kReach; j <= kReach; ++j) most = std::max(most, at(ground, i + j));
        highest[static_cast<std::size_t>(i)] = most;
    }
    for (std::ptrdiff_t i = 0; i < size; ++i) {
        double sum = 0;
        for (std::ptrdiff_t j = -kReach; j <= kReach; ++j) sum += at(highest, i + j);
        smooth[static_cast<std::size_t>(i)] = sum / (2 * kReach + 1);
    }
    return smooth;
}

}  // namespace

FlightPath FlightPath::demo(const terrain::Field& field, double speed) {
    std::vector<terrain::Position> places;
    std::vector<double> ground;
    for (int i = 0; i < kDemoPoints; ++i) {
        const double angle = 2 * std::numbers::pi * i / kDemoPoints;
        const terrain::Position place{kHalfWidth * std::sin(angle), 0, kHalfWidth / 2 * std::sin(2 * angle)};
        places.push_back(place);
        const auto found =
            terrain::highest_ground_below(field, place.x, kHighest, place.z, {.reach = 2 * kHighest, .resolution = 2});
        ground.push_back(std::max(found.value_or(0), 0.0));
    }
    const std::vector<double> heights = smooth_heights(ground);
    FlightPath path;
    path.round_trip_ = true;
    double travelled = 0;
    for (std::size_t i = 0; i <= places.size(); ++i) {
        const std::size_t here = i % places.size();
        terrain::Position at = places[here];
        at.y = heights[here] + kAboveGround;
        if (i > 0) travelled += length(path.points_.back().at, at);
        path.points_.push_back({travelled / speed, at});
    }
    return path;
}

FlightPath FlightPath::from_text(const std::string& text, const std::string& name) {
    FlightPath path;
    std::istringstream lines(text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        line = line.substr(0, line.find('#'));
        std::istringstream words(line);
        std::vector<std::string> parts;
        for (std::string part; words >> part;) parts.push_back(part);
        if (parts.empty()) continue;
        const std::string where = fmt::format("{}, line {}", name, number);
        if (parts.size() != 4) {
            throw WrongInput(fmt::format("{}: takes seconds, x, y and z, not {} words", where, parts.size()));
        }
        const Point point{real_number(where, parts[0], 0, 1e6),
                          {real_number(where, parts[1], -1e8, 1e8), real_number(where, parts[2], -1e8, 1e8),
                           real_number(where, parts[3], -1e8, 1e8)}};
        if (!path.points_.empty() && point.seconds <= path.points_.back().seconds) {
            throw WrongInput(fmt::format("{}: must be later than the line before", where));
        }
        path.points_.push_back(point);
    }
    if (path.points_.empty()) throw WrongInput(fmt::format("{}: has no line of seconds, x, y and z", name));
    return path;
}

FlightPath FlightPath::from_file(const std::string& file) {
    const std::string name = fmt::format("--path {}", in_quotes(file));
    std::ifstream stream(file, std::ios::binary);
    std::string text(kMostPathBytes + 1, '\0');
    if (stream) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream && stream.gcount() == 0)
        throw WrongInput(fmt::format("{}: takes demo or a file that can be read", name));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kMostPathBytes) throw WrongInput(fmt::format("{}: at most 16 MiB are allowed", name));
    return from_text(text, name);
}

terrain::Viewer FlightPath::at(double time) const {
    const double end = points_.back().seconds;
    if (round_trip_) time = std::fmod(time, end);
    const auto after = std::upper_bound(points_.begin(), points_.end(), time,
                                        [](double now, const Point& point) { return now < point.seconds; });
    if (after == points_.begin()) return {points_.front().at, {1, 0, 0}};
    const auto before = after - 1;
    const auto next = after == points_.end() ? before : after;
    const auto from = next == before && before != points_.begin() ? before - 1 : before;
    const auto to = next == before ? before : next;
    const terrain::Position direction{to->at.x - from->at.x, to->at.y - from->at.y, to->at.z - from->at.z};
    const double span = next->seconds - before->seconds;
    const double share = span > 0 ? (time - before->seconds) / span : 0;
    const auto between = [&](double a, double b) { return a + (b - a) * share; };
    return {{between(before->at.x, next->at.x), between(before->at.y, next->at.y), between(before->at.z, next->at.z)},
            direction};
}

}  // namespace quarry::app
