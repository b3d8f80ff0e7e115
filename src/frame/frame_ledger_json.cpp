#include <array>
#include <charconv>
#include <ostream>
#include <string_view>

#include "quarry/frame/frame_ledger.hpp"

namespace quarry {

namespace {

// Numbers exactly as they are, whatever the stream's locale and format: doubles as short as they can be read back.
class Json {
  public:
    explicit Json(std::ostream& out) : out_(out) {}

    Json& text(std::string_view raw) {
        out_.write(raw.data(), static_cast<std::streamsize>(raw.size()));
        return *this;
    }
    template <class Number>
    Json& number(Number value) {
        std::array<char, 32> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        return text({digits.data(), static_cast<std::size_t>(end - digits.data())});
    }
    // ,"name":value
    template <class Number>
    Json& member(std::string_view name, Number value) {
        return text(",\"").text(name).text("\":").number(value);
    }

  private:
    std::ostream& out_;
};

void write_latency(Json& json, const FrameLedgerStats& stats) {
    json.text(",\"latency\":{\"unit\":\"frames\"")
        .member("mean", stats.mean_latency())
        .member("max", stats.latency_max);
    json.text(",\"histogram\":[");
    for (std::size_t i = 0; i < stats.latency.size(); ++i) json.text(i == 0 ? "" : ",").number(stats.latency[i]);
    json.text("]").member("later", stats.later_than_all).text("}");
}

void write_record(Json& json, const FrameRecord& record) {
    json.text("{\"frame\":").number(record.frame);
    json.member("submitted", record.submitted).member("returned", record.returned).member("stale", record.stale);
    json.member("latency_sum", record.latency_sum);
    json.member("missed", record.missed).member("nanoseconds", record.duration.count()).text("}");
}

}  // namespace

void FrameLedger::write_json(std::ostream& out) const {
    const FrameLedgerStats now = stats();
    Json json(out);
    json.text("{\"frames\":").number(now.frames).member("hertz", options_.hertz);
    json.member("submitted", now.submitted).member("returned", now.returned).member("withdrawn", now.withdrawn);
    json.member("outstanding", now.outstanding());
    write_latency(json, now);
    json.text(",\"policy\":").text(options_.stale.drops() ? "\"drop\"" : "\"apply\"");
    json.member("stale_after", options_.stale.frames()).member("stale", now.stale).member("dropped", now.dropped);
    json.member("stale_percent", now.stale_percent());
    json.member("overrun_frames", now.overrun_frames).member("missed_frames", now.missed_frames);
    json.member("dropped_steps", now.dropped_steps).member("dropped_nanoseconds", now.dropped_time.count());
    json.member("frame_nanoseconds_sum", now.duration_sum.count());
    json.member("frame_nanoseconds_max", now.duration_max.count());
    json.text(",\"recent\":[");
    const char* separator = "";
    for (const FrameRecord& record : recent()) {
        write_record(json.text(separator), record);
        separator = ",";
    }
    json.text("]}");
}

}  // namespace quarry
