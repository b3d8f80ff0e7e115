#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/apps/bake_folder.hpp"

namespace quarry::tests {
namespace {

class FieldCommandTest : public BakeFolder {
  protected:
    FieldCommandTest() {
        std::ofstream(path("ball.json")) << R"({"field": {"type": "sphere", "centre": [0, 0, 0], "radius": 10}})";
    }
    static Outcome look(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "field");
        return run_program(arguments);
    }
};

TEST_F(FieldCommandTest, SaysWhatAFieldIsAtPlaces) {
    const Outcome outcome = look({path("ball.json"), "--at", "13,0,0", "--at", "0,-6,0", "--json", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const auto report = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(report.at("program"), "quarry field");
    const auto& points = report.at("points");
    ASSERT_EQ(points.size(), 2u);
    EXPECT_NEAR(points[0].at("density"), 3, 1e-5);
    EXPECT_EQ(points[0].at("solid"), false);
    EXPECT_NEAR(points[0].at("gradient")[0], 1, 1e-5);
    EXPECT_TRUE(points[0].at("materials").is_null());
    EXPECT_NEAR(points[1].at("density"), -4, 1e-5);
    EXPECT_EQ(points[1].at("solid"), true);
    EXPECT_NEAR(points[1].at("gradient")[1], -1, 1e-5);
    // Places with a minus sign in front, and materials.
    const Outcome noise = look({"noise", "--at", "-5,-100,2", "--json", "-"});
    ASSERT_EQ(noise.status, 0) << noise.errors;
    const auto point = nlohmann::json::parse(noise.output).at("points").at(0);
    EXPECT_EQ(point.at("solid"), true);
    int sum = 0;
    for (const int weight : point.at("materials")) sum += weight;
    EXPECT_EQ(sum, 255);
}

TEST_F(FieldCommandTest, SaysWhatIsPromisedOfABox) {
    const Outcome outcome = look({path("ball.json"), "--bounds", "-20,-2,-2,-12,2,2", "--json", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const auto bounds = nlohmann::json::parse(outcome.output).at("bounds");
    EXPECT_EQ(bounds.at("may_have_surface"), false);
    EXPECT_NEAR(bounds.at("sampled")[0], 2, 1e-5);
    EXPECT_LE(bounds.at("density")[0], bounds.at("sampled")[0]);
    EXPECT_GE(bounds.at("density")[1], bounds.at("sampled")[1]);
    const Outcome around = look({path("ball.json"), "--bounds", "-2,-2,-2,20,2,2"});
    EXPECT_NE(around.output.find("may have a surface"), std::string::npos) << around.output;
    EXPECT_NE(look({path("ball.json"), "--bounds", "-1,-1,-1,1,1,1"}).output.find("is solid"), std::string::npos);
}

TEST_F(FieldCommandTest, DrawsACut) {
    const Outcome outcome = look({path("ball.json"), "--picture", path("cut.png"), "--centre", "0,0,0", "--size", "40",
                                  "--pixels", "64", "--plane", "zy"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(bytes(path("cut.png")).substr(1, 3), "PNG");
    EXPECT_NE(outcome.output.find("40 units along zy"), std::string::npos) << outcome.output;
}

TEST_F(FieldCommandTest, RefusesWrongInput) {
    expect_refused(look({path("ball.json")}), "--at, --bounds or --picture");
    expect_refused(look({path("none.json"), "--at", "0,0,0"}), "FIELD takes showcase, noise or a JSON file");
    expect_refused(look({path("ball.json"), "--at", "0,0"}), "--at takes 3 numbers");
    expect_refused(look({path("ball.json"), "--at", "0,nan,0"}), "--at");
    expect_refused(look({path("ball.json"), "--bounds", "0,0,0,1,1"}), "--bounds takes 6 numbers");
    expect_refused(look({path("ball.json"), "--bounds", "1,0,0,0,1,1"}), "lower corner");
    expect_refused(look({path("ball.json"), "--at", "0,0,0", "--size", "3"}), "--picture only");
    expect_refused(look({path("ball.json"), "--picture", path("cut.png"), "--plane", "xx"}), "--plane");
    expect_refused(look({path("ball.json"), "--picture", "/no/such/folder/cut.png"}), "--picture");
    expect_refused(look({path("ball.json"), "--picture", path("ball.json")}), "is the file that FIELD reads");
    std::ofstream(path("fine.json")) << R"({"field": {"type": "noise", "frequency": 1000, "octaves": 4}})";
    expect_refused(look({path("fine.json"), "--at", "9e8,0,0"}), "reaches");
    EXPECT_EQ(files_there(), 2u);
}

}  // namespace
}  // namespace quarry::tests
