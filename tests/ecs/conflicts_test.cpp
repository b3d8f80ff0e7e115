#include <map>
#include <random>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/ecs/support.hpp"

namespace quarry::ecs {
namespace {

using namespace test_support;

// What a system touches, said in the simplest way.
struct Touches {
    std::set<int> reads;
    std::set<int> writes;
    std::set<int> resources_read;
    std::set<int> resources_written;
    std::set<int> with;
    std::set<int> without;
    bool exclusive = false;
};

bool meet(const std::set<int>& a, const std::set<int>& b) {
    for (const int x : a) {
        if (b.count(x) != 0) return true;
    }
    return false;
}

// The oracle: every pair looked at by itself.
bool conflict(const Touches& a, const Touches& b) {
    if (a.exclusive || b.exclusive) return true;
    if (meet(a.resources_written, b.resources_written) || meet(a.resources_written, b.resources_read) ||
        meet(a.resources_read, b.resources_written)) {
        return true;
    }
    if (meet(a.with, b.without) || meet(a.without, b.with)) return false;
    return meet(a.writes, b.writes) || meet(a.writes, b.reads) || meet(a.reads, b.writes);
}

std::string key(int number) {
    return "key " + std::to_string(number);
}

TEST(Conflicts, AgreeWithABruteForceOracleForRandomAccessSets) {
    std::mt19937 random(5);
    const auto some = [&](int most, int of) {
        std::set<int> result;
        const int count = static_cast<int>(random()) & most;
        for (int i = 0; i < count; ++i) result.insert(static_cast<int>(random() % static_cast<unsigned>(of)));
        return result;
    };
    for (int round = 0; round < static_cast<int>(scaled(60)); ++round) {
        const int systems = 2 + static_cast<int>(random() % 25);
        std::vector<Touches> touches(static_cast<std::size_t>(systems));
        Schedule<LoggedWorld> schedule;
        std::vector<std::set<std::size_t>> stated(touches.size());
        for (std::size_t i = 0; i < touches.size(); ++i) {
            Touches& t = touches[i];
            t = {some(3, 12), some(1, 12), some(1, 4), some(1, 8), some(1, 3), some(1, 3), random() % 16 == 0};
            auto system = schedule.add("system " + std::to_string(i)).run([] {});
            for (const int k : t.reads) system.reads(AccessKey::named(key(k)));
            for (const int k : t.writes) system.writes(AccessKey::named(key(k)));
            for (const int k : t.resources_read) system.reads(AccessKey::named(key(k), AccessKey::Kind::resource));
            for (const int k : t.resources_written) system.writes(AccessKey::named(key(k), AccessKey::Kind::resource));
            for (const int k : t.with) system.with(AccessKey::named(key(k)));
            for (const int k : t.without) system.without(AccessKey::named(key(k)));
            if (t.exclusive) system.exclusive();
            if (i > 0 && random() % 4 == 0) {
                const std::size_t other = random() % i;
                system.before("system " + std::to_string(other));  // against the order of adding
                stated[other].insert(i);
            }
        }
        // Which pairs are ordered at all: by conflicts and stated orders, and what follows from them. Any two that the
        // plan lets overlap must be free of conflict, and unordered; any two in conflict must not overlap.
        for (std::size_t i = 0; i < touches.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                const bool overlap = schedule.may_overlap("system " + std::to_string(i), "system " + std::to_string(j));
                if (conflict(touches[i], touches[j]) || stated[j].count(i) != 0) {
                    ASSERT_FALSE(overlap) << i << " and " << j << ", round " << round;
                }
            }
        }
        // And no order is invented: each edge of the plan is a conflict or a stated order.
        std::ostringstream dot;
        schedule.write_dot(dot);
        std::map<std::string, std::size_t> number_of;
        std::istringstream lines(dot.str());
        std::size_t edges = 0;
        for (std::string line; std::getline(lines, line);) {
            const auto label = line.find("[label=\"system ");
            const auto arrow = line.find(" -> ");
            if (label != std::string::npos) {
                number_of[line.substr(4, line.find(' ', 4) - 4)] = std::stoul(line.substr(label + 15));
            } else if (arrow != std::string::npos) {
                const std::size_t from = number_of.at(line.substr(4, arrow - 4));
                const std::size_t to = number_of.at(line.substr(arrow + 4, line.size() - arrow - 5));
                ASSERT_TRUE(conflict(touches[from], touches[to]) || stated[to].count(from) != 0) << line;
                ++edges;
            }
        }
        static_cast<void>(edges);
    }
}

TEST(Conflicts, ReadersMayOverlapAndWritersNot) {
    Schedule<LoggedWorld> schedule;
    schedule.add("reader").reads<Position>().run([] {});
    schedule.add("other reader").reads<Position>().run([] {});
    schedule.add("writer").writes<Position>().run([] {});
    schedule.add("elsewhere").writes<Velocity>().run([] {});
    schedule.add("resource").writes_resource<Position>().run([] {});
    EXPECT_TRUE(schedule.may_overlap("reader", "other reader"));
    EXPECT_FALSE(schedule.may_overlap("reader", "writer"));
    EXPECT_TRUE(schedule.may_overlap("writer", "elsewhere"));
    EXPECT_TRUE(schedule.may_overlap("writer", "resource"));  // a resource of that type is another thing
}

TEST(Conflicts, FiltersMakeWritersDisjointButNotForResources) {
    Schedule<LoggedWorld> schedule;
    schedule.add("players").writes<Position>().with<Tag>().run([] {});
    schedule.add("others").writes<Position>().without<Tag>().run([] {});
    schedule.add("all").writes<Position>().run([] {});
    schedule.add("count players").writes_resource<Health>().with<Tag>().run([] {});
    schedule.add("count others").writes_resource<Health>().without<Tag>().run([] {});
    EXPECT_TRUE(schedule.may_overlap("players", "others"));
    EXPECT_FALSE(schedule.may_overlap("players", "all"));
    EXPECT_FALSE(schedule.may_overlap("count players", "count others"));
}

TEST(Conflicts, RunTimeKeysAreEqualByName) {
    Schedule<LoggedWorld> schedule;
    schedule.add("script a").writes(AccessKey::named("mana")).run([] {});
    schedule.add("script b").reads(AccessKey::named(std::string("ma") + "na")).run([] {});
    schedule.add("script c").writes(AccessKey::named("stamina")).run([] {});
    EXPECT_FALSE(schedule.may_overlap("script a", "script b"));
    EXPECT_TRUE(schedule.may_overlap("script a", "script c"));
}

TEST(Conflicts, WithoutAnOrderRunInTheOrderOfAddingWithAWarning) {
    Schedule<LoggedWorld> schedule;
    std::vector<int> order;
    schedule.add("first").writes<Position>().run([&] { order.push_back(1); });
    schedule.add("second").writes<Position>().run([&] { order.push_back(2); });
    schedule.add("third").reads<Position>().after("second").run([&] { order.push_back(3); });
    Pool pool(2);
    LoggedWorld world;
    ParallelExecutor(pool).run(schedule, world);
    EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
    ASSERT_EQ(schedule.warnings().size(), 2U);  // first/second and first/third
    EXPECT_NE(schedule.warnings()[0].find("\"first\" and \"second\" both touch"), std::string::npos);
    EXPECT_NE(schedule.warnings()[0].find("Position"), std::string::npos);
}

TEST(Conflicts, WithoutAnOrderAreErrorsByOption) {
    Schedule<LoggedWorld> schedule({.unordered_conflicts_are_errors = true});
    schedule.add("first").writes<Position>().run([] {});
    schedule.add("second").writes<Position>().run([] {});
    schedule.add("third").writes<Position>().run([] {});
    try {
        schedule.build();
        FAIL() << "accepted";
    } catch (const ScheduleError& error) {
        EXPECT_EQ(error.problems().size(), 3U);
    }
}

}  // namespace
}  // namespace quarry::ecs
