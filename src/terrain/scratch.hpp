#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace quarry::terrain::impl {

// Floats for the time of one call, from a list that each thread keeps: once warm, nothing is allocated. Fields within
// fields hold several at once.
class ScratchFloats {
  public:
    explicit ScratchFloats(std::size_t size) {
        std::vector<std::vector<float>>& kept = kept_here();
        if (!kept.empty()) {
            floats_ = std::move(kept.back());
            kept.pop_back();
        }
        if (floats_.size() < size) floats_.resize(size);
    }
    ScratchFloats(const ScratchFloats&) = delete;
    ScratchFloats& operator=(const ScratchFloats&) = delete;
    ~ScratchFloats() {
        std::vector<std::vector<float>>& kept = kept_here();
        // The list grows in the constructor's place, never here: a destructor must not throw.
        if (kept.size() < kept.capacity()) kept.push_back(std::move(floats_));
    }

    float* data() noexcept { return floats_.data(); }

  private:
    static constexpr std::size_t kMostKept = 64;

    static std::vector<std::vector<float>>& kept_here() {
        static thread_local std::vector<std::vector<float>> kept = [] {
            std::vector<std::vector<float>> empty;
            empty.reserve(kMostKept);
            return empty;
        }();
        return kept;
    }

    std::vector<float> floats_;
};

}  // namespace quarry::terrain::impl
