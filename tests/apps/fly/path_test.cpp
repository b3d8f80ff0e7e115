#include "fly/path.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/raycast.hpp>

#include "tools/input.hpp"

namespace quarry::app {
namespace {

std::string refusal(const std::string& text) {
    try {
        FlightPath::from_text(text, "a path");
    } catch (const WrongInput& wrong) {
        return wrong.what();
    }
    return "";
}

TEST(FlightPath, GoesStraightBetweenTheLinesOfAFile) {
    const FlightPath path = FlightPath::from_text("# seconds x y z\n0 0 10 0\n\n2 20 10 0 # along x\n4 20 10 40\n", "");
    EXPECT_EQ(path.at(0).position, (terrain::Position{0, 10, 0}));
    EXPECT_EQ(path.at(1).position, (terrain::Position{10, 10, 0}));
    EXPECT_EQ(path.at(3).position, (terrain::Position{20, 10, 20}));
    EXPECT_GT(path.at(1).direction.x, 0);
    EXPECT_GT(path.at(3).direction.z, 0);
    EXPECT_EQ(path.at(99).position, (terrain::Position{20, 10, 40}));
    EXPECT_EQ(path.seconds(), 4);
}

TEST(FlightPath, NamesTheLineThatIsWrong) {
    EXPECT_EQ(refusal("0 0 0 0\n1 2 3\n"), "a path, line 2: takes seconds, x, y and z, not 3 words");
    EXPECT_EQ(refusal("1 0 0 0\n1 2 3 4\n"), "a path, line 2: must be later than the line before");
    EXPECT_NE(refusal("0 nan 0 0\n").find("line 1"), std::string::npos);
    EXPECT_NE(refusal("0 0 0 x\n").find("line 1"), std::string::npos);
    EXPECT_EQ(refusal("# nothing\n"), "a path: has no line of seconds, x, y and z");
    EXPECT_THROW(FlightPath::from_file("/no/such/path"), WrongInput);
}

TEST(FlightPath, OfTheDemoKeepsItsSpeedAndStaysAboveTheGround) {
    const terrain::NoiseField hills;
    const FlightPath path = FlightPath::demo(hills, 50);
    for (double time = 0; time < 2 * path.seconds(); time += 0.5) {
        const terrain::Position a = path.at(time).position;
        const terrain::Position b = path.at(time + 0.1).position;
        EXPECT_NEAR(std::hypot(b.x - a.x, b.y - a.y, b.z - a.z), 5, 0.5) << time;
        EXPECT_GT(hills.density_at(a), 0) << time;
    }
    const terrain::Position start = path.at(0).position;
    const terrain::Position again = path.at(path.seconds()).position;
    EXPECT_NEAR(start.x, again.x, 1e-6);
}

}  // namespace
}  // namespace quarry::app
