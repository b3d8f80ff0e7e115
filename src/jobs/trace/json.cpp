#include "jobs/trace/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <ostream>

#include "jobs/trace/label.hpp"

namespace quarry::impl {
namespace {

// Ticks as nanoseconds since the trace began. Rounds down, and so keeps every order and nesting.
class Timeline {
  public:
    Timeline(os::ClockPair started, os::ClockPair now) : start_(started.ticks) {
        // The longer the trace, the better it knows the length of a tick.
        constexpr std::uint64_t kLongEnough = 10'000'000;
        if (now.nanoseconds - started.nanoseconds >= kLongEnough) {
            nanoseconds_ = static_cast<double>(now.nanoseconds - started.nanoseconds) /
                           static_cast<double>(now.ticks - started.ticks);
        } else {
            nanoseconds_ = 1000.0 / static_cast<double>(os::ticks_per_microsecond());
        }
    }
    std::uint64_t operator()(std::uint64_t ticks) const {
        // A processor's clock may be a few ticks behind that of the one that started the trace.
        if (ticks <= start_) return 0;
        return static_cast<std::uint64_t>(static_cast<double>(ticks - start_) * nanoseconds_);
    }

  private:
    std::uint64_t start_;
    double nanoseconds_;
};

std::string microseconds(std::uint64_t nanoseconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%llu.%03u", static_cast<unsigned long long>(nanoseconds / 1000),
                  static_cast<unsigned>(nanoseconds % 1000));
    return text;
}

std::string number(double value) {
    if (!std::isfinite(value)) return "null";
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

class Writer {
  public:
    Writer(std::ostream& out, const Timeline& timeline) : out_(out), at_(timeline), process_(os::process_number()) {}

    void metadata(std::size_t thread, const char* name, const std::string& arguments) {
        begin("M", thread, name);
        out_ << ",\"args\":{" << arguments << "}}";
    }

    void event(std::size_t thread, const Event& event) {
        const std::string name = escaped(event.name);
        if (event.kind == Event::Kind::counter) {
            begin("C", thread, name.c_str());
            out_ << ",\"ts\":" << microseconds(at_(event.begin)) << ",\"args\":{\"value\":" << number(event.value())
                 << "}}";
            return;
        }
        begin(event.is_span() ? "X" : "i", thread, name.c_str());
        const std::uint64_t begun = at_(event.begin);
        out_ << ",\"ts\":" << microseconds(begun);
        if (event.is_span()) {
            out_ << ",\"dur\":" << microseconds(std::max(at_(event.end), begun) - begun) << span_arguments(event);
        } else {
            out_ << ",\"s\":\"t\"";
        }
        if (event.kind == Event::Kind::steal) {
            out_ << ",\"args\":{\"from\":" << event.detail << ",\"jobs\":" << event.count << "}";
        }
        out_ << "}";
    }

    void lost(std::size_t thread, std::uint64_t count, std::uint64_t ticks) {
        begin("i", thread, (std::to_string(count) + " older events lost").c_str());
        out_ << ",\"ts\":" << microseconds(at_(ticks)) << ",\"s\":\"t\"}";
    }

  private:
    void begin(const char* phase, std::size_t thread, const char* escaped_name) {
        out_ << (first_ ? "\n" : ",\n") << "{\"ph\":\"" << phase << "\",\"pid\":" << process_ << ",\"tid\":" << thread
             << ",\"name\":\"" << escaped_name << "\"";
        first_ = false;
    }
    static std::string span_arguments(const Event& event) {
        std::string arguments;
        const auto add = [&](const std::string& argument) { arguments += (arguments.empty() ? "" : ",") + argument; };
        if (event.kind == Event::Kind::sampled) add("\"one_of\":" + std::to_string(event.count));
        if (event.kind == Event::Kind::span && event.count > 1) add("\"jobs\":" + std::to_string(event.count));
        if (const char* const lane = trace_lane_name(event.lane)) add("\"lane\":\"" + escaped(lane) + "\"");
        return arguments.empty() ? "" : ",\"args\":{" + arguments + "}";
    }

    std::ostream& out_;
    const Timeline& at_;
    const long process_;
    bool first_ = true;
};

// A span is recorded when it ends, after what is within it. Readers want the outer one first.
std::vector<Event> in_order_of_begin(const TraceRing::Copy& copy) {
    std::vector<Event> events;
    events.reserve(copy.events.size());
    std::transform(copy.events.rbegin(), copy.events.rend(), std::back_inserter(events), &Event::unpack);
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
        if (a.begin != b.begin) return a.begin < b.begin;
        if (a.is_span() != b.is_span()) return a.is_span();
        return a.is_span() && a.end > b.end;
    });
    return events;
}

// The length of a valid UTF-8 character at the beginning of the text; 0: there is none.
std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) return 0;
    }
    const unsigned second = byte(1);
    // Longer than needed, surrogates, beyond U+10FFFF.
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
        (first == 0xf4 && second > 0x8f)) {
        return 0;
    }
    return length;
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        const char first = text.front();
        if (length == 0) {
            result += "\xef\xbf\xbd";
        } else if (first == '"' || first == '\\') {
            result += '\\';
            result += first;
        } else if (length == 1 && static_cast<unsigned char>(first) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(first));
            result += code;
        } else {
            result += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result;
}

void write_trace_json(const TraceSession& session, std::ostream& out) {
    const std::vector<std::shared_ptr<Track>> tracks = tracks_of(session);
    std::vector<TraceRing::Copy> copies;
    copies.reserve(tracks.size());
    std::uint64_t lost = 0;
    for (const auto& track : tracks) {
        copies.push_back(track->ring.copy());
        lost += copies.back().first;
    }
    // After the copies: none of their events is later.
    const Timeline timeline(session.started, os::read_clocks());
    out << "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"program\":\"quarry\",\"events_lost\":" << lost
        << "},\"traceEvents\":[";
    Writer writer(out, timeline);
    writer.metadata(0, "process_name", "\"name\":\"" + escaped(os::process_name()) + "\"");
    for (std::size_t i = 0; i < tracks.size(); ++i) {
        const std::size_t thread = i + 1;
        writer.metadata(thread, "thread_name", "\"name\":\"" + escaped(tracks[i]->name) + "\"");
        writer.metadata(thread, "thread_sort_index", "\"sort_index\":" + std::to_string(thread));
        const std::vector<Event> events = in_order_of_begin(copies[i]);
        if (copies[i].first != 0 && !events.empty()) writer.lost(thread, copies[i].first, events.front().begin);
        for (const Event& event : events) writer.event(thread, event);
    }
    out << "\n]}\n";
}

}  // namespace quarry::impl
