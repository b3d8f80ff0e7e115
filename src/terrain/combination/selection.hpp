#pragma once

#include <cstdint>
#include <vector>

#include "terrain/combination/chain.hpp"

namespace quarry::terrain::impl {

// What of a chain matters in a box. Lists are kept by each thread from one selection to the next.
class Selection {
  public:
    // A part that matters: the number of its run and its own in there.
    struct Kept {
        std::uint32_t run;
        std::uint32_t part;
    };

    Selection(const Chain& chain, const Box& box);
    ~Selection();
    Selection(const Selection&) = delete;
    Selection& operator=(const Selection&) = delete;

    // The first of the kept parts takes the base's place.
    bool drops_base() const noexcept { return drops_base_; }
    const std::vector<Kept>& kept() const noexcept { return kept_; }
    Interval bounds() const noexcept { return sum_; }

    // The chain with only the kept parts; parts that are combinations lose what does not matter in the box too.
    Chain remaining() const;
    bool is_everything() const noexcept { return !drops_base_ && kept_.size() == parts_; }

    // Where sampling starts.
    const Field& first() const noexcept;
    float first_sign() const noexcept;
    std::size_t first_part() const noexcept { return drops_base_ ? 1 : 0; }

  private:
    struct Found {
        std::uint32_t part;
        Interval bounds;  // times Join::part
    };

    void add_run(std::uint32_t number);
    void find(const ChainRun& run, float most);

    const Chain& chain_;
    const Box box_;
    Interval sum_;
    bool drops_base_ = false;
    std::size_t parts_ = 0;
    std::vector<Kept> kept_;
    std::vector<Found> found_;
};

}  // namespace quarry::terrain::impl
