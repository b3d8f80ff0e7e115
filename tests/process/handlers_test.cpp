#include <cmath>
#include <random>

#include <quarry/jobs/error.hpp>
#include <quarry/process/bytes.hpp>
#include <quarry/process/handlers.hpp>

#include "tests/process/support.hpp"

// The built-in handlers against plain references (R45), in place and in a worker.
namespace {

using namespace process_tests;
using namespace quarry::process;

CostGrid random_grid(std::int32_t width, std::int32_t height, unsigned seed) {
    std::mt19937 random(seed);
    CostGrid grid{width, height, {}};
    for (std::int32_t i = 0; i < width * height; ++i) {
        grid.costs.push_back(random() % 4 == 0 ? 0.0F : static_cast<float>(1 + random() % 9));
    }
    return grid;
}

// Relaxes every cell until nothing changes.
float cheapest_by_relaxation(const CostGrid& grid, GridPoint start, GridPoint goal) {
    constexpr float kFar = std::numeric_limits<float>::infinity();
    if (!(grid.cost(start) > 0) || !(grid.cost(goal) > 0)) return -1;
    std::vector<float> costs(grid.costs.size(), kFar);
    const auto at = [&](std::int32_t x, std::int32_t y) -> float& {
        return costs[static_cast<std::size_t>(y * grid.width + x)];
    };
    at(start.x, start.y) = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::int32_t y = 0; y < grid.height; ++y) {
            for (std::int32_t x = 0; x < grid.width; ++x) {
                if (!(grid.cost({x, y}) > 0)) continue;
                for (const GridPoint step : {GridPoint{1, 0}, GridPoint{-1, 0}, GridPoint{0, 1}, GridPoint{0, -1}}) {
                    const GridPoint from{x + step.x, y + step.y};
                    if (!grid.contains(from) || !(at(from.x, from.y) + grid.cost({x, y}) < at(x, y))) continue;
                    at(x, y) = at(from.x, from.y) + grid.cost({x, y});
                    changed = true;
                }
            }
        }
    }
    return at(goal.x, goal.y) == kFar ? -1 : at(goal.x, goal.y);
}

void expect_path(const CostGrid& grid, const GridPath& path, GridPoint start, GridPoint goal, float cost) {
    ASSERT_EQ(path.cost, cost);
    if (cost < 0) {
        EXPECT_TRUE(path.points.empty());
        return;
    }
    ASSERT_EQ(path.points.front(), start);
    ASSERT_EQ(path.points.back(), goal);
    float sum = 0;
    for (std::size_t i = 1; i < path.points.size(); ++i) {
        const GridPoint from = path.points[i - 1];
        const GridPoint to = path.points[i];
        ASSERT_EQ(std::abs(from.x - to.x) + std::abs(from.y - to.y), 1);
        ASSERT_GT(grid.cost(to), 0);
        sum += grid.cost(to);
    }
    EXPECT_EQ(sum, cost);
}

TEST(PathGrid, FindsTheCheapestWay) {
    std::mt19937 random(3);
    int ways = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        const auto width = static_cast<std::int32_t>(2 + random() % 20);
        const auto height = static_cast<std::int32_t>(2 + random() % 20);
        const CostGrid grid = random_grid(width, height, seed);
        const auto somewhere = [&] {
            return GridPoint{static_cast<std::int32_t>(random() % static_cast<unsigned>(width)),
                             static_cast<std::int32_t>(random() % static_cast<unsigned>(height))};
        };
        const GridPoint start = somewhere();
        const GridPoint goal = somewhere();
        const float cost = cheapest_by_relaxation(grid, start, goal);
        ways += cost >= 0 ? 1 : 0;
        expect_path(grid, find_path(grid, start, goal), start, goal, cost);
    }
    EXPECT_GT(ways, 15) << "too few of the cases have a way";
    EXPECT_THROW(find_path(random_grid(2, 2, 1), {0, 0}, {2, 0}), quarry::Error);
}

std::vector<Point3> random_points(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> place(-10, 10);
    std::vector<Point3> points(count);
    for (Point3& point : points) point = {place(random), place(random), place(random)};
    return points;
}

TEST(DistanceBatch, FindsTheNearest) {
    const auto points = random_points(50, 1);
    const auto others = random_points(70, 2);
    const auto nearest = nearest_points(points, others);
    ASSERT_EQ(nearest.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        double least = 1e9;
        for (const Point3& other : others) {
            least = std::min(least, std::hypot(double{points[i].x} - other.x, double{points[i].y} - other.y,
                                               double{points[i].z} - other.z));
        }
        EXPECT_NEAR(nearest[i].distance, least, 1e-5);
        EXPECT_NEAR(std::hypot(points[i].x - others[nearest[i].index].x, points[i].y - others[nearest[i].index].y,
                               points[i].z - others[nearest[i].index].z),
                    least, 1e-5);
    }
    EXPECT_TRUE(std::isinf(nearest_points(points, {})[0].distance));
}

struct Vec {
    double x, y, z;
};

// By trying points of the triangle, ever finer around the best.
double distance_by_search(Vec p, const Triangle3& t) {
    double best = 1e18;
    double u0 = 0.5;
    double v0 = 0.5;
    for (double width = 0.5; width > 1e-7; width *= 0.6) {
        double best_u = u0;
        double best_v = v0;
        for (int i = -6; i <= 6; ++i) {
            for (int k = -6; k <= 6; ++k) {
                double u = std::clamp(u0 + width * i / 6, 0.0, 1.0);
                double v = std::clamp(v0 + width * k / 6, 0.0, 1.0);
                if (u + v > 1) {
                    const double over = (u + v - 1) / 2;
                    u = std::clamp(u - over, 0.0, 1.0);
                    v = std::clamp(1 - u, 0.0, 1.0);
                }
                const double w = 1 - u - v;
                const double distance =
                    std::hypot(p.x - (w * t.a.x + u * t.b.x + v * t.c.x), p.y - (w * t.a.y + u * t.b.y + v * t.c.y),
                               p.z - (w * t.a.z + u * t.b.z + v * t.c.z));
                if (distance < best) {
                    best = distance;
                    best_u = u;
                    best_v = v;
                }
            }
        }
        u0 = best_u;
        v0 = best_v;
    }
    return best;
}

// The distance from a moving point to something convex is convex in time: first its least, then where it falls below
// the radius.
double impact_by_search(const MovingSphere& s, const Triangle3& t, double span) {
    const auto distance = [&](double time) {
        return distance_by_search(
            {s.center.x + s.velocity.x * time, s.center.y + s.velocity.y * time, s.center.z + s.velocity.z * time}, t);
    };
    if (distance(0) <= s.radius) return 0;
    double low = 0;
    double high = span;
    for (int i = 0; i < 60; ++i) {
        const double one = low + (high - low) / 3;
        const double two = high - (high - low) / 3;
        (distance(one) < distance(two) ? high : low) = distance(one) < distance(two) ? two : one;
    }
    if (distance(high) > s.radius) return std::numeric_limits<double>::infinity();
    low = 0;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (distance(middle) <= s.radius ? high : low) = middle;
    }
    return high;
}

TEST(CollisionPredict, AgreesWithASearchInTime) {
    const auto places = random_points(400, 9);
    int hits = 0;
    for (std::size_t i = 0; i < 40; ++i) {
        const auto at = [&](std::size_t k) {
            const Point3 p = places[i * 5 + k];
            return Point3{p.x * 0.2F, p.y * 0.2F, p.z * 0.2F};
        };
        const Triangle3 triangle{at(0), at(1), at(2)};
        // On the way through the middle of where the triangles are, more or less.
        const Point3 start = at(3);
        const Point3 aim{at(4).x * 0.3F - start.x, at(4).y * 0.3F - start.y, at(4).z * 0.3F - start.z};
        const MovingSphere sphere{start, aim, 0.3F};
        const double expected = impact_by_search(sphere, triangle, 2);
        const auto found = predict_collisions(std::span(&sphere, 1), std::span(&triangle, 1), 2);
        ASSERT_EQ(found.size(), 1U);
        if (std::isinf(expected)) {
            EXPECT_TRUE(std::isinf(found[0].time)) << i;
        } else {
            ++hits;
            EXPECT_NEAR(found[0].time, expected, 1e-3) << i;
        }
    }
    EXPECT_GT(hits, 8) << "too few of the cases touch";
}

TEST(CollisionPredict, NamesTheFirstTriangle) {
    const auto wall = [](float x) { return Triangle3{{x, -5, -5}, {x, 5, -5}, {x, 0, 5}}; };
    const std::array triangles{wall(9), wall(3), wall(6)};
    const MovingSphere sphere{{0, 0, 0}, {1, 0, 0}, 1};
    const auto found = predict_collisions(std::span(&sphere, 1), triangles, 100);
    EXPECT_EQ(found[0].triangle, 1U);
    EXPECT_FLOAT_EQ(found[0].time, 2);
    EXPECT_TRUE(std::isinf(predict_collisions(std::span(&sphere, 1), triangles, 1)[0].time));
}

TEST(Handlers, AnswerInAWorkerWhatTheyAnswerInPlace) {
    Engine engine(small_engine(2));
    std::uint32_t number = 0;
    const Result heavy = run_one(engine, "compute_heavy", bytes_of(std::array{10U, 50U}));
    ASSERT_EQ(heavy.payload.size(), sizeof number);
    std::memcpy(&number, heavy.payload.bytes().data(), sizeof number);
    EXPECT_EQ(number, compute_heavy(10, 50));
    EXPECT_EQ(number, 811'125U);

    EXPECT_EQ(run_one(engine, "path_grid", bytes_of(std::array{GridPoint{}, GridPoint{}})).status, Status::error);
    const CostGrid grid = random_grid(60, 40, 77);
    ASSERT_EQ(engine.broadcast(kPathGridKey, encode_grid(grid)), Refusal::none);
    for (std::int32_t i = 0; i < 20; ++i) {
        const GridPoint start{i, i};
        const GridPoint goal{59 - i, 39 - i};
        const Result result = run_one(engine, "path_grid", bytes_of(std::array{start, goal}));
        ASSERT_EQ(result.status, Status::ok) << result.text;
        expect_path(grid, decode_path(result.payload.bytes()), start, goal, find_path(grid, start, goal).cost);
    }

    const auto points = random_points(100, 1);
    const auto others = random_points(200, 2);
    const Result distances = run_one(engine, "distance_batch", encode_points(points, others));
    const auto expected = nearest_points(points, others);
    ASSERT_EQ(distances.payload.size(), expected.size() * sizeof(Nearest));
    EXPECT_EQ(std::memcmp(distances.payload.bytes().data(), expected.data(), distances.payload.size()), 0);

    const std::array spheres{MovingSphere{{0, 0, 0}, {1, 0, 0}, 1}, MovingSphere{{0, 9, 0}, {0, -1, 0}, 1}};
    const std::array triangles{Triangle3{{3, -5, -5}, {3, 5, -5}, {3, 0, 5}}};
    const Result impacts = run_one(engine, "collision_predict", encode_collisions(spheres, triangles, 5));
    const auto predicted = predict_collisions(spheres, triangles, 5);
    ASSERT_EQ(impacts.payload.size(), predicted.size() * sizeof(Impact));
    EXPECT_EQ(std::memcmp(impacts.payload.bytes().data(), predicted.data(), impacts.payload.size()), 0);
}

TEST(Handlers, APayloadOfTheWrongLengthIsTheJobsError) {
    Engine engine(small_engine(1));
    for (const char* type : {"compute_heavy", "distance_batch", "collision_predict"}) {
        for (const std::size_t length : {0U, 3U, 9U, 100U}) {
            const std::vector<std::byte> payload(length, std::byte{0xff});
            EXPECT_EQ(run_one(engine, type, payload).status, Status::error) << type << " " << length;
        }
    }
    EXPECT_EQ(engine.stats().restarts, 0U);
}

}  // namespace
