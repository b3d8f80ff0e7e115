#include "jobs/trace/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <ostream>
#include <tuple>

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

// From where a job was submitted to where it started, or the first of those that are drawn together.
struct Arrow {
    std::size_t from_thread;
    std::uint64_t from;  // ticks
    std::size_t to_thread;
    std::uint64_t to;
};

class Writer {
  public:
    Writer(std::ostream& out, const Timeline& timeline, const std::vector<std::shared_ptr<Track>>& tracks)
        : out_(out), at_(timeline), tracks_(tracks), process_(os::process_number()) {}

    void metadata(std::size_t thread, const char* name, const std::string& arguments) {
        begin("M", thread, name);
        out_ << ",\"args\":{" << arguments << "}}";
    }

    void event(std::size_t thread, const Event& event) {
        std::string name = escaped(event.name);
        if (event.kind == Event::Kind::numbered) name += " " + std::to_string(event.job);
        if (event.kind == Event::Kind::submit) return submit(thread, event);
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
            out_ << ",\"args\":{\"from\":\"" << escaped(name_of(TraceOwner::unpack(event.end)))
                 << "\",\"jobs\":" << event.count << "}";
        }
        out_ << "}";
    }

    void arrow(const Arrow& arrow, std::size_t id) {
        const auto end = [&](const char* phase, std::size_t thread, std::uint64_t ticks, const char* more) {
            begin(phase, thread, "job");
            out_ << ",\"cat\":\"job\",\"id\":" << id << ",\"ts\":" << microseconds(at_(ticks)) << more << "}";
        };
        end("s", arrow.from_thread, arrow.from, "");
        end("f", arrow.to_thread, arrow.to, ",\"bp\":\"e\"");
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
    // A viewer ties an arrow to the span that it begins in, and there may be none: so this is one, of a nanosecond.
    void submit(std::size_t thread, const Event& event) {
        begin("X", thread, escaped(event.name).c_str());
        out_ << ",\"ts\":" << microseconds(at_(event.begin)) << ",\"dur\":0.001}";
    }
    std::string name_of(const TraceOwner& owner) const {
        const auto found = std::find_if(tracks_.begin(), tracks_.end(),
                                        [&](const std::shared_ptr<Track>& track) { return track->owner == owner; });
        return found != tracks_.end() ? (*found)->name : "a thread that is not in this trace";
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
    const std::vector<std::shared_ptr<Track>>& tracks_;
    const long process_;
    bool first_ = true;
};

// A submit and the start of a job are told apart from those of other jobs by the place in memory that the job had,
// which it has for itself in between: a start belongs to the last submit there before it, if there was no other start
// since.
class Arrows {
  public:
    // Of one thread, in the order of their begin; lost: older ones are missing.
    void add(std::size_t thread, const std::vector<Event>& events, bool lost) {
        for (const Event& event : events) {
            const bool starts = event.kind == Event::Kind::span || event.kind == Event::Kind::sampled;
            if (event.job == 0 || (!starts && event.kind != Event::Kind::submit)) continue;
            ends_.push_back({event.job, event.begin, starts, thread});
        }
        if (lost && !events.empty()) complete_since_ = std::max(complete_since_, events.front().begin);
    }

    std::vector<Arrow> found() {
        std::sort(ends_.begin(), ends_.end(), [](const End& a, const End& b) {
            return std::tie(a.job, a.ticks, a.starts) < std::tie(b.job, b.ticks, b.starts);
        });
        std::vector<Arrow> arrows;
        for (std::size_t i = 1; i < ends_.size(); ++i) {
            const End& from = ends_[i - 1];
            const End& to = ends_[i];
            const bool belong = from.job == to.job && !from.starts && to.starts;
            // Before that a later submit of another job at the same place may be among those that are lost.
            if (belong && from.ticks >= complete_since_)
                arrows.push_back({from.thread, from.ticks, to.thread, to.ticks});
        }
        return arrows;
    }

  private:
    struct End {
        std::uint64_t job;
        std::uint64_t ticks;
        bool starts;
        std::size_t thread;
    };
    std::vector<End> ends_;
    std::uint64_t complete_since_ = 0;
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
    Writer writer(out, timeline, tracks);
    Arrows arrows;
    writer.metadata(0, "process_name", "\"name\":\"" + escaped(os::process_name()) + "\"");
    for (std::size_t i = 0; i < tracks.size(); ++i) {
        const std::size_t thread = i + 1;
        writer.metadata(thread, "thread_name", "\"name\":\"" + escaped(tracks[i]->name) + "\"");
        writer.metadata(thread, "thread_sort_index", "\"sort_index\":" + std::to_string(thread));
        const std::vector<Event> events = in_order_of_begin(copies[i]);
        if (copies[i].first != 0 && !events.empty()) writer.lost(thread, copies[i].first, events.front().begin);
        for (const Event& event : events) writer.event(thread, event);
        arrows.add(thread, events, copies[i].first != 0);
    }
    std::size_t id = 0;
    for (const Arrow& arrow : arrows.found()) writer.arrow(arrow, ++id);
    out << "\n]}\n";
}

}  // namespace quarry::impl
