#include "jobs/rows/frames.hpp"

namespace quarry::bench {

std::int64_t FrameLoad::serial_cpu_ns() const {
    const std::int64_t start = thread_cpu_ns();
    for (int burst = 0; burst < bursts; ++burst) {
        for (int job = 0; job < jobs; ++job) work_us(job_us(job));
        if (serial_us != 0) work_us(serial_us);
    }
    return thread_cpu_ns() - start;
}

const FrameLoad& tick_load() {
    static const FrameLoad load{12, 32, [](int job) { return static_cast<std::uint64_t>(1 + job * 7 % 5); }, 200};
    return load;
}

const FrameLoad& burst60_load() {
    static const FrameLoad load{1, 200, [](int) -> std::uint64_t { return 10; }, 0};
    return load;
}

}  // namespace quarry::bench
