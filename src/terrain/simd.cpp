#include "terrain/simd.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>
#include <string>

#include "hwy/targets.h"

namespace quarry::terrain {
namespace {

struct Known {
    SimdTarget target;
    std::string_view name;
    std::int64_t highway;  // 0: needs nothing of the processor
};

constexpr std::array<Known, 5> kKnown{{{SimdTarget::scalar, "scalar", 0},
                                       {SimdTarget::sse4, "sse4", HWY_SSE4},
                                       {SimdTarget::avx2, "avx2", HWY_AVX2},
                                       {SimdTarget::avx512, "avx512", HWY_AVX3},
                                       {SimdTarget::neon, "neon", HWY_NEON}}};

std::atomic<SimdTarget>& in_use() noexcept {
    static std::atomic<SimdTarget> target = simd_targets().back();
    return target;
}

std::string usable_names() {
    std::string names;
    for (const SimdTarget target : simd_targets()) {
        if (!names.empty()) names += ", ";
        names += name_of(target);
    }
    return names;
}

}  // namespace

std::vector<SimdTarget> simd_targets() {
    const std::int64_t supported = hwy::SupportedTargets();
    std::vector<SimdTarget> targets;
    for (const Known& known : kKnown) {
        if (impl::is_compiled(known.target) && (known.highway == 0 || (supported & known.highway) != 0)) {
            targets.push_back(known.target);
        }
    }
    return targets;
}

SimdTarget simd_target() noexcept {
    return in_use().load(std::memory_order_relaxed);
}

void force_simd_target(SimdTarget target) {
    const std::vector<SimdTarget> usable = simd_targets();
    if (std::find(usable.begin(), usable.end(), target) == usable.end()) {
        throw std::invalid_argument("SIMD target " + std::string(name_of(target)) +
                                    " is not available here; allowed are " + usable_names());
    }
    in_use().store(target, std::memory_order_relaxed);
}

std::string_view name_of(SimdTarget target) noexcept {
    return kKnown[static_cast<std::size_t>(target)].name;
}

SimdTarget simd_target_named(std::string_view name) {
    for (const Known& known : kKnown) {
        if (known.name == name) return known.target;
    }
    throw std::invalid_argument("there is no SIMD target " + std::string(name) + "; allowed are " + usable_names());
}

}  // namespace quarry::terrain
