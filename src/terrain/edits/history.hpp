#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "terrain/edits/brick_tree.hpp"

namespace quarry::terrain::edits {

struct StrokeKey {
    std::uint16_t editor = 0;
    std::uint32_t stroke = 0;

    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the default for a comparison with 0
    friend constexpr auto operator<=>(const StrokeKey&, const StrokeKey&) = default;
};

// What one segment has changed of one brick.
template <class Brick>
struct BrickChange {
    struct Sample {
        std::uint16_t index;
        typename Brick::Value before;
        typename Brick::Value after;
    };
    BrickKey key;
    std::vector<Sample> samples;  // by index
};

// Both trees, and what belongs to them.
struct Trees {
    BrickTree<DensityBrick> densities;
    BrickTree<PaintBrick> paint;

    template <class Brick>
    BrickTree<Brick>& of() noexcept {
        if constexpr (std::is_same_v<Brick, DensityBrick>)
            return densities;
        else
            return paint;
    }
    void freeze() noexcept {
        densities.freeze();
        paint.freeze();
    }
};

// Samples that were changed, and where.
struct Changed {
    std::uint64_t samples = 0;
    std::uint64_t painted = 0;
    LatticeBox box = LatticeBox::nothing();
};

// What undo and redo need, bounded by bytes.
//
// Edits of one stroke with none of another in between are a segment. Segments lie on each other in their order; each is
// active or not. A sample has the value that the topmost active segment on it has left, else the value that the lowest
// one has found. Undo makes the segments of a stroke inactive, redo makes them active, and both set the samples of
// these segments by that rule: so a sample which another stroke has changed later stays as it is.
class History {
  public:
    explicit History(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    // Before an edit of that stroke.
    void begin(StrokeKey stroke, Trees& trees);
    // Before a brick is written for the first time in the edit. Cheap if it was held already.
    template <class Brick>
    void hold(const BrickKey& key, const BrickTree<Brick>& tree) {
        auto& held = open_of<Brick>();
        const auto [place, is_new] = held.try_emplace(key);
        if (!is_new) return;
        place->second = tree.share(key);
        open_bytes_ += sizeof(Brick) + sizeof(*place);
    }
    // After an edit: forgets what no longer fits.
    void end(Trees& trees);

    // Nothing if the stroke is unknown or not all of it is remembered, or it is in that state already.
    std::optional<Changed> set_active(StrokeKey stroke, bool active, Trees& trees);

    std::optional<StrokeKey> last_active(std::uint16_t editor) const;
    std::optional<StrokeKey> last_undone(std::uint16_t editor) const;

    std::size_t bytes() const noexcept { return bytes_ + open_bytes_; }
    std::size_t strokes() const noexcept { return strokes_.size(); }

  private:
    struct Segment {
        StrokeKey stroke;
        bool active = true;
        bool toggled = false;  // was not always active
        std::vector<BrickChange<DensityBrick>> densities;
        std::vector<BrickChange<PaintBrick>> paint;
        std::size_t bytes = 0;

        template <class Brick>
        auto& changes() noexcept {
            if constexpr (std::is_same_v<Brick, DensityBrick>)
                return densities;
            else
                return paint;
        }
    };
    struct StrokeState {
        std::size_t segments = 0;  // that are remembered, an open one included
        bool is_whole = true;      // none was forgotten
        bool undone = false;
        std::uint64_t last_edit = 0;  // numbers of what was done, so that the last one can be found
        std::uint64_t undone_at = 0;
    };
    template <class Brick>
    using Held = std::map<BrickKey, std::shared_ptr<const Brick>>;
    template <class Brick>
    using Index = std::map<BrickKey, std::vector<std::uint64_t>>;  // numbers of the segments on a brick, lowest first

    template <class Brick>
    Held<Brick>& open_of() noexcept {
        if constexpr (std::is_same_v<Brick, DensityBrick>)
            return open_densities_;
        else
            return open_paint_;
    }
    template <class Brick>
    auto& index_of_bricks() noexcept {
        if constexpr (std::is_same_v<Brick, DensityBrick>)
            return density_index_;
        else
            return paint_index_;
    }
    Segment& segment(std::uint64_t number) noexcept { return segments_[number - first_]; }

    void close(Trees& trees);
    template <class Brick>
    void close_bricks(Segment& closed, BrickTree<Brick>& tree);
    void forget_oldest();
    template <class Brick>
    void forget_bricks(Segment& oldest);
    template <class Brick>
    void settle(const std::vector<std::uint64_t>& numbers, Trees& trees, Changed& changed);

    const std::size_t most_bytes_;
    std::size_t bytes_ = 0;
    std::deque<Segment> segments_;
    std::uint64_t first_ = 0;  // number of the first one
    std::map<StrokeKey, StrokeState> strokes_;
    Index<DensityBrick> density_index_;
    Index<PaintBrick> paint_index_;
    std::uint64_t clock_ = 0;
    std::map<std::uint16_t, std::uint64_t> last_edits_;  // of each editor

    std::optional<StrokeKey> open_;
    Held<DensityBrick> open_densities_;  // bricks as they were before the open segment; null: there was none
    Held<PaintBrick> open_paint_;
    std::size_t open_bytes_ = 0;
};

}  // namespace quarry::terrain::edits
