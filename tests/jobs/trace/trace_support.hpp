#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <quarry/jobs/trace.hpp>

// A trace as a reader of the file sees it.
namespace quarry::test_support {

using Json = nlohmann::json;

struct ReadSpan {
    std::string name;
    long long begin;  // nanoseconds
    long long end;
    Json arguments;
};

// From a submit to the start of its job.
struct ReadArrow {
    int id = 0;
    int from_thread = 0;
    long long from = 0;  // nanoseconds
    int to_thread = 0;
    long long to = 0;
};

struct ReadTrack {
    std::string name;
    std::vector<ReadSpan> spans;  // as they stand in the file
    std::vector<std::string> instants;
    std::vector<double> instant_times;
    std::vector<Json> robbed;  // whom steals took from

    std::size_t count(const std::string& span) const {
        std::size_t found = 0;
        for (const ReadSpan& each : spans) found += each.name == span ? 1 : 0;
        return found;
    }
    // Jobs, drawn one by one or together.
    std::size_t jobs(const std::string& span) const {
        std::size_t found = 0;
        for (const ReadSpan& each : spans)
            found += each.name == span ? each.arguments.value("jobs", std::size_t{1}) : 0;
        return found;
    }
};

struct ReadTrace {
    std::map<int, ReadTrack> tracks;
    std::map<std::string, std::vector<double>> counters;
    std::vector<ReadArrow> arrows;
    std::string process;
    std::uint64_t lost = 0;

    const ReadTrack* track(const std::string& name) const {
        for (const auto& [number, each] : tracks) {
            if (each.name == name) return &each;
        }
        return nullptr;
    }
    std::size_t jobs(const std::string& span) const {
        std::size_t found = 0;
        for (const auto& [number, each] : tracks) found += each.jobs(span);
        return found;
    }
    std::size_t instants(const std::string& name) const {
        std::size_t found = 0;
        for (const auto& [number, each] : tracks) {
            for (const std::string& instant : each.instants) found += instant == name ? 1 : 0;
        }
        return found;
    }
};

// The file has three decimals of a microsecond; a double holds them exactly enough.
inline long long nanoseconds(const Json& time) {
    return std::llround(time.get<double>() * 1000);
}

inline void read_event(const Json& event, ReadTrace& trace) {
    const std::string phase = event.at("ph");
    const std::string name = event.at("name");
    const int thread = event.at("tid");
    ASSERT_TRUE(event.at("pid").is_number());
    if (phase == "M") {
        if (name == "process_name") trace.process = event.at("args").at("name");
        if (name == "thread_name") trace.tracks[thread].name = event.at("args").at("name");
        return;
    }
    ASSERT_GE(event.at("ts").get<double>(), 0.0);
    if (phase == "X") {
        const long long begin = nanoseconds(event.at("ts"));
        trace.tracks[thread].spans.push_back(
            {name, begin, begin + nanoseconds(event.at("dur")), event.value("args", Json::object())});
    } else if (phase == "i") {
        EXPECT_EQ(event.at("s"), "t");
        trace.tracks[thread].instants.push_back(name);
        trace.tracks[thread].instant_times.push_back(event.at("ts"));
        if (name == "steal") trace.tracks[thread].robbed.push_back(event.at("args").at("from"));
    } else if (phase == "s") {
        trace.arrows.push_back({event.at("id"), thread, nanoseconds(event.at("ts"))});
    } else if (phase == "f") {
        EXPECT_EQ(event.at("bp"), "e") << "an arrow to the next span, not to the one it is in";
        ASSERT_FALSE(trace.arrows.empty());
        ReadArrow& arrow = trace.arrows.back();
        EXPECT_EQ(arrow.id, event.at("id").get<int>());
        arrow.to_thread = thread;
        arrow.to = nanoseconds(event.at("ts"));
    } else if (phase == "C") {
        trace.counters[name].push_back(event.at("args").at("value"));
    } else {
        FAIL() << "an event of phase " << phase;
    }
}

inline ReadTrace read_trace(const std::string& text) {
    ReadTrace trace;
    const Json file = Json::parse(text);
    trace.lost = file.at("otherData").at("events_lost");
    for (const Json& event : file.at("traceEvents")) read_event(event, trace);
    return trace;
}

inline ReadTrace read_trace(const Trace& trace) {
    std::ostringstream text;
    trace.write(text);
    return read_trace(text.str());
}

// Spans of a track lie within each other or apart, and stand in the order in which they begin, the outer one first.
inline testing::AssertionResult nests(const ReadTrack& track) {
    std::vector<ReadSpan> open;
    for (const ReadSpan& span : track.spans) {
        if (!open.empty() && span.begin < open.back().begin) {
            return testing::AssertionFailure() << track.name << ": " << span.name << " begins too early";
        }
        while (!open.empty() && open.back().end <= span.begin) open.pop_back();
        if (!open.empty() && span.end > open.back().end) {
            return testing::AssertionFailure()
                   << track.name << ": " << span.name << " from " << span.begin << " to " << span.end << " ends after "
                   << open.back().name << ", " << open.back().begin << " to " << open.back().end;
        }
        open.push_back(span);
    }
    return testing::AssertionSuccess();
}

inline void expect_nesting(const ReadTrace& trace) {
    for (const auto& [number, track] : trace.tracks) EXPECT_TRUE(nests(track));
}

}  // namespace quarry::test_support
