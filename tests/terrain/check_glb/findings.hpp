#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace quarry::terrain::impl {

// What is wrong with a file, up to some number of lines.
class Findings {
  public:
    explicit Findings(std::size_t most) : most_(most) {}

    void add(std::string text) {
        if (lines_.size() < most_) lines_.push_back(std::move(text));
        ++count_;
    }

    bool empty() const noexcept { return count_ == 0; }

    std::vector<std::string> take() {
        if (count_ > most_) lines_.push_back("and " + std::to_string(count_ - most_) + " more findings");
        return std::move(lines_);
    }

  private:
    std::size_t most_;
    std::size_t count_ = 0;
    std::vector<std::string> lines_;
};

}  // namespace quarry::terrain::impl
