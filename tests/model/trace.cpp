#include "trace.hpp"

#include <map>
#include <sstream>

namespace model {

namespace {

const char* order_name(std::memory_order order) {
    switch (order) {
        case std::memory_order_relaxed:
            return "relaxed";
        case std::memory_order_consume:
            return "consume";
        case std::memory_order_acquire:
            return "acquire";
        case std::memory_order_release:
            return "release";
        case std::memory_order_acq_rel:
            return "acq_rel";
        case std::memory_order_seq_cst:
            return "seq_cst";
    }
    return "?";
}

// Numbers as they are, small negative ones too; pointers as p1, p2 and so on.
class Values {
  public:
    std::string text(std::uint64_t value) {
        constexpr std::int64_t kReadable = 1'000'000;
        const auto number = static_cast<std::int64_t>(value);
        if (number > -kReadable && number < kReadable) return std::to_string(number);
        const auto known = pointers_.try_emplace(value, pointers_.size() + 1).first;
        return std::string("p").append(std::to_string(known->second));
    }

  private:
    std::map<std::uint64_t, std::size_t> pointers_;
};

}  // namespace

std::string format_trace(const std::vector<TraceEntry>& trace, const MemoryModel& memory) {
    std::ostringstream out;
    Values values;
    for (const TraceEntry& entry : trace) {
        out << "  thread " << entry.thread << ": " << entry.operation;
        if (entry.location != kNowhere) {
            out << ' ' << memory.name(entry.location) << " = " << values.text(entry.value);
            if (entry.earlier != entry.value) out << " (was " << values.text(entry.earlier) << ')';
        }
        out << ' ' << order_name(entry.order);
        if (entry.staleness != 0) out << ", " << entry.staleness << " later in modification order";
        out << '\n';
    }
    return out.str();
}

}  // namespace model
