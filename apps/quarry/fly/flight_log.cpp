#include "fly/flight_log.hpp"

#include <bit>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <system_error>

#include <fmt/format.h>
#include <quarry/terrain/mesh.hpp>
#include <quarry/terrain/streamer.hpp>

#include "tools/input.hpp"

namespace quarry::app {
namespace {

// The file: kLogMark, the version, the head, its checksum; then frames, each with its number, its size, its content and
// a checksum of that; then 0 in place of a number, how many frames there are, and the hash of the ground. Numbers have
// their lowest byte first.
constexpr std::string_view kLogMark = "quarry flight\n";
constexpr std::uint32_t kLogVersion = 1;
constexpr std::uint32_t kMostFrameBytes = std::uint32_t{1} << 30;

std::uint64_t mixed(std::uint64_t value, std::uint64_t number) noexcept {
    value = (value ^ number) * 0x9e3779b97f4a7c15U;
    return value ^ value >> 32;
}

std::uint64_t checksum_of(std::string_view bytes) noexcept {
    std::uint64_t value = 0x243f6a8885a308d3U;
    for (const char byte : bytes) value = mixed(value, static_cast<unsigned char>(byte));
    return value;
}

class LogWriter {
  public:
    template <class Number>
    void whole(Number number) {
        for (std::size_t i = 0; i < sizeof number; ++i) {
            bytes_.push_back(static_cast<char>(static_cast<std::uint64_t>(number) >> 8 * i & 255));
        }
    }
    void real(double number) { whole(std::bit_cast<std::uint64_t>(number)); }
    void text(std::string_view text) {
        whole(static_cast<std::uint32_t>(text.size()));
        bytes_ += text;
    }
    void list(const std::vector<std::byte>& bytes) {
        text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    void place(const terrain::Position& at) {
        for (const double along : {at.x, at.y, at.z}) real(along);
    }
    std::string& bytes() { return bytes_; }

  private:
    std::string bytes_;
};

// Ends at the end of what it reads: from then on all is 0, and it has failed.
class LogReader {
  public:
    explicit LogReader(std::string_view bytes) : left_(bytes) {}

    template <class Number>
    Number whole() {
        std::uint64_t number = 0;
        const std::string_view bytes = take(sizeof(Number));
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            number |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
        }
        return static_cast<Number>(number);
    }
    double real() { return std::bit_cast<double>(whole<std::uint64_t>()); }
    std::string_view text() { return take(whole<std::uint32_t>()); }
    std::vector<std::byte> list() {
        const std::string_view found = text();
        const auto* const first = reinterpret_cast<const std::byte*>(found.data());
        return {first, first + found.size()};
    }
    terrain::Position place() {
        terrain::Position at;
        for (double* const along : {&at.x, &at.y, &at.z}) *along = real();
        return at;
    }
    std::string_view take(std::size_t bytes) {
        if (bytes > left_.size()) {
            failed_ = true;
            left_ = {};
            return {};
        }
        const std::string_view taken = left_.substr(0, bytes);
        left_.remove_prefix(bytes);
        return taken;
    }
    bool failed() const noexcept { return failed_; }
    bool at_end() const noexcept { return !failed_ && left_.empty(); }
    std::size_t left() const noexcept { return left_.size(); }

  private:
    std::string_view left_;
    bool failed_ = false;
};

std::string head_of(const FlightLog& log) {
    LogWriter head;
    head.text(log.field);
    head.whole(static_cast<std::uint8_t>(log.has_edits ? 1 : 0));
    head.whole(static_cast<std::uint8_t>(log.max_lod));
    for (const double number : {log.radius, log.lod_distance, log.hysteresis, log.hertz, log.budget_ms}) {
        head.real(number);
    }
    return std::move(head.bytes());
}

bool read_head(std::string_view bytes, FlightLog& log) {
    LogReader head(bytes);
    log.field = head.text();
    log.has_edits = head.whole<std::uint8_t>() != 0;
    log.max_lod = head.whole<std::uint8_t>();
    for (double* const number : {&log.radius, &log.lod_distance, &log.hysteresis, &log.hertz, &log.budget_ms}) {
        *number = head.real();
        if (!std::isfinite(*number)) return false;
    }
    return head.at_end();
}

std::string content_of(const LoggedFrame& frame) {
    LogWriter content;
    content.whole(static_cast<std::uint8_t>(frame.stage));
    content.real(frame.seconds);
    content.whole(static_cast<std::uint8_t>(frame.viewers.size()));
    for (const terrain::Viewer& viewer : frame.viewers) {
        content.place(viewer.position);
        content.place(viewer.direction);
    }
    content.list(frame.edits);
    content.list(frame.journal);
    content.whole(frame.states);
    content.whole(frame.events);
    return std::move(content.bytes());
}

bool read_content(std::string_view bytes, LoggedFrame& frame) {
    LogReader content(bytes);
    const auto stage = content.whole<std::uint8_t>();
    if (stage > static_cast<std::uint8_t>(FlyStage::rest)) return false;
    frame.stage = static_cast<FlyStage>(stage);
    frame.seconds = content.real();
    frame.viewers.resize(content.whole<std::uint8_t>());
    if (frame.viewers.size() > terrain::Streamer::kMostViewers) return false;
    for (terrain::Viewer& viewer : frame.viewers) {
        viewer.position = content.place();
        viewer.direction = content.place();
    }
    frame.edits = content.list();
    frame.journal = content.list();
    frame.states = content.whole<std::uint64_t>();
    frame.events = content.whole<std::uint64_t>();
    return content.at_end();
}

// False: there is no other frame, and the end is as it should be.
bool read_frame(LogReader& reader, FlightLog& log, const std::string& name) {
    const std::size_t next = log.frames.size() + 1;
    const auto number = reader.whole<std::uint32_t>();
    if (!reader.failed() && number == 0) {
        const auto count = reader.whole<std::uint32_t>();
        log.ground = reader.whole<std::uint64_t>();
        if (reader.failed()) throw WrongInput(fmt::format("{}: is cut off behind frame {}", name, log.frames.size()));
        if (count != log.frames.size() || !reader.at_end())
            throw WrongInput(fmt::format("{}: is damaged at its end", name));
        return false;
    }
    const auto size = reader.whole<std::uint32_t>();
    if (!reader.failed() && (number != next || size > kMostFrameBytes)) {
        throw WrongInput(fmt::format("{}: is damaged before frame {}", name, next));
    }
    const std::string_view content = reader.take(size);
    const auto checksum = reader.whole<std::uint64_t>();
    if (reader.failed()) throw WrongInput(fmt::format("{}: is cut off in frame {}", name, next));
    LoggedFrame frame;
    const bool is_read = read_content(content, frame);
    frame.is_intact = checksum == checksum_of(content);
    if (!is_read) throw WrongInput(fmt::format("{}: is damaged in frame {}", name, next));
    log.frames.push_back(std::move(frame));
    return true;
}

}  // namespace

std::string_view name_of(FlyStage stage) {
    switch (stage) {
        case FlyStage::arrival:
            return "arrival";
        case FlyStage::flight:
            return "flight";
        case FlyStage::rest:
            return "rest";
    }
    return "";
}

std::uint64_t FlightLog::hash() const {
    std::uint64_t value = mixed(ground, frames.size());
    for (const LoggedFrame& frame : frames) value = mixed(mixed(value, frame.states), frame.events);
    return value;
}

void EventHash::add(std::uint64_t number) noexcept {
    value_ = mixed(value_, number);
}

void EventHash::add(double number) noexcept {
    add(std::bit_cast<std::uint64_t>(number));
}

void EventHash::add(const terrain::StreamEvent& event) {
    add(static_cast<std::uint64_t>(event.kind));
    add(std::uint64_t{event.id.slot} << 32 | event.id.generation);
    add(std::uint64_t{event.mask});
    add(event.mesh != nullptr ? content_hash(*event.mesh) : 0);
    add(event.group);
    add(std::uint64_t{event.chunks.size()});
    for (const terrain::ChunkId id : event.chunks) add(std::uint64_t{id.slot} << 32 | id.generation);
    add(event.edits);
    for (const terrain::Position& corner : {event.box.low, event.box.high}) {
        for (const double along : {corner.x, corner.y, corner.z}) add(along);
    }
}

std::string bytes_of(const FlightLog& log) {
    LogWriter out;
    out.bytes() += kLogMark;
    out.whole(kLogVersion);
    const std::string head = head_of(log);
    out.text(head);
    out.whole(checksum_of(head));
    for (std::size_t i = 0; i < log.frames.size(); ++i) {
        const std::string content = content_of(log.frames[i]);
        out.whole(static_cast<std::uint32_t>(i + 1));
        out.text(content);
        out.whole(checksum_of(content));
    }
    out.whole(std::uint32_t{0});
    out.whole(static_cast<std::uint32_t>(log.frames.size()));
    out.whole(log.ground);
    return std::move(out.bytes());
}

FlightLog flight_log_from(std::string_view bytes, const std::string& name) {
    LogReader reader(bytes);
    if (reader.take(kLogMark.size()) != kLogMark) {
        throw WrongInput(fmt::format("{}: is no log of a flight; --record writes one", name));
    }
    const auto version = reader.whole<std::uint32_t>();
    if (!reader.failed() && version != kLogVersion) {
        throw WrongInput(fmt::format("{}: is a log of version {}; version {} can be read", name, version, kLogVersion));
    }
    FlightLog log;
    const std::string_view head = reader.text();
    const auto checksum = reader.whole<std::uint64_t>();
    if (reader.failed()) throw WrongInput(fmt::format("{}: is cut off in its head", name));
    if (checksum != checksum_of(head) || !read_head(head, log)) {
        throw WrongInput(fmt::format("{}: is damaged in its head", name));
    }
    while (read_frame(reader, log, name)) {
    }
    if (log.frames.empty()) throw WrongInput(fmt::format("{}: has no frame", name));
    return log;
}

FlightLog read_flight_log(std::string_view option, const std::string& file) {
    const std::string name = fmt::format("{} {}", option, in_quotes(file));
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    std::string bytes(kLogMark.size(), '\0');
    stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    const bool is_short = stream.eof();
    bytes.resize(static_cast<std::size_t>(stream.gcount()));
    // What is something else may have no end.
    if (stream && bytes == kLogMark) bytes.append(std::istreambuf_iterator<char>(stream), {});
    if ((!stream && !is_short) || stream.bad()) {
        throw WrongInput(
            fmt::format("{}: cannot be read: {}", name, std::generic_category().message(errno != 0 ? errno : EIO)));
    }
    return flight_log_from(bytes, name);
}

}  // namespace quarry::app
