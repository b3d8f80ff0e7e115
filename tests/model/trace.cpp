#include "trace.hpp"

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

void print_value(std::ostringstream& out, std::uint64_t value) {
    constexpr std::uint64_t kReadable = 1'000'000;
    const auto below_zero = static_cast<std::int64_t>(value);
    if (value < kReadable) {
        out << value;
    } else if (below_zero < 0 && below_zero > -static_cast<std::int64_t>(kReadable)) {
        out << below_zero;
    } else {
        out << "0x" << std::hex << value << std::dec;
    }
}

}  // namespace

std::string format_trace(const std::vector<TraceEntry>& trace, const MemoryModel& memory) {
    std::ostringstream out;
    for (const TraceEntry& entry : trace) {
        out << "  thread " << entry.thread << ": " << entry.operation;
        if (entry.location != kNowhere) {
            out << ' ' << memory.name(entry.location) << " = ";
            print_value(out, entry.value);
            if (entry.earlier != entry.value) {
                out << " (was ";
                print_value(out, entry.earlier);
                out << ')';
            }
        }
        out << ' ' << order_name(entry.order);
        if (entry.staleness != 0) out << ", " << entry.staleness << " later in modification order";
        out << '\n';
    }
    return out.str();
}

}  // namespace model
