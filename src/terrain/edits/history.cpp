#include "terrain/edits/history.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <utility>

namespace quarry::terrain::edits {
namespace {

// Of a segment, and of a brick in one, with their places in lists.
constexpr std::size_t kSegmentBytes = 128;
constexpr std::size_t kBrickChangeBytes = 128;

template <class Brick>
std::vector<typename BrickChange<Brick>::Sample> differences(const Brick* before, const Brick* after) {
    static const Brick none;
    const auto& from = before == nullptr ? none.values : before->values;
    const auto& to = after == nullptr ? none.values : after->values;
    std::vector<typename BrickChange<Brick>::Sample> samples;
    for (std::size_t i = 0; i < Brick::kValues; ++i) {
        if (from[i] != to[i]) samples.push_back({static_cast<std::uint16_t>(i), from[i], to[i]});
    }
    samples.shrink_to_fit();
    return samples;
}

}  // namespace

void History::begin(StrokeKey stroke, Trees& trees) {
    if (open_ != stroke) {
        close(trees);
        // Bricks that are there from now on are copied before they are written: they can be held.
        trees.freeze();
        open_ = stroke;
        ++strokes_[stroke].segments;
    }
    StrokeState& state = strokes_[stroke];
    state.undone = false;
    state.last_edit = ++clock_;
    last_edits_[stroke.editor] = state.last_edit;
}

void History::end(Trees& trees) {
    while (bytes() > most_bytes_ && !segments_.empty()) forget_oldest();
    if (bytes() <= most_bytes_) return;
    // The differences may be less than the bricks that are held for them.
    const StrokeKey stroke = *open_;
    close(trees);
    if (bytes() > most_bytes_) forget_oldest();
    strokes_.try_emplace(stroke);  // it may go on, and is not whole any more
    strokes_[stroke].is_whole = strokes_[stroke].segments != 0 && strokes_[stroke].is_whole;
}

template <class Brick>
void History::close_bricks(Segment& closed, BrickTree<Brick>& tree) {
    for (const auto& [key, before] : open_of<Brick>()) {
        auto samples = differences<Brick>(before.get(), tree.find(key));
        if (samples.empty()) continue;
        closed.bytes += kBrickChangeBytes + samples.size() * sizeof(samples[0]);
        index_of_bricks<Brick>()[key].push_back(first_ + segments_.size());
        closed.template changes<Brick>().push_back({key, std::move(samples)});
    }
    open_of<Brick>().clear();
}

void History::close(Trees& trees) {
    if (!open_) return;
    Segment closed;
    closed.stroke = *open_;
    closed.bytes = kSegmentBytes;
    close_bricks(closed, trees.densities);
    close_bricks(closed, trees.paint);
    open_bytes_ = 0;
    open_.reset();
    bytes_ += closed.bytes;
    segments_.push_back(std::move(closed));
}

// What it has left is final now: the next one on a sample has found that, whatever it was when that one was made.
template <class Brick>
void History::forget_bricks(Segment& oldest) {
    auto& index = index_of_bricks<Brick>();
    for (const BrickChange<Brick>& change : oldest.template changes<Brick>()) {
        const auto place = index.find(change.key);
        std::vector<std::uint64_t>& numbers = place->second;
        numbers.erase(numbers.begin());
        if (oldest.toggled) {
            std::bitset<Brick::kValues> left;
            std::array<typename Brick::Value, Brick::kValues> values{};
            for (const auto& sample : change.samples) {
                left.set(sample.index);
                values[sample.index] = oldest.active ? sample.after : sample.before;
            }
            for (const std::uint64_t number : numbers) {
                if (left.none()) break;
                for (BrickChange<Brick>& above : segment(number).template changes<Brick>()) {
                    if (above.key != change.key) continue;
                    for (auto& sample : above.samples) {
                        if (!left.test(sample.index)) continue;
                        sample.before = values[sample.index];
                        left.reset(sample.index);
                    }
                }
            }
        }
        if (numbers.empty()) index.erase(place);
    }
}

void History::forget_oldest() {
    Segment& oldest = segments_.front();
    forget_bricks<DensityBrick>(oldest);
    forget_bricks<PaintBrick>(oldest);
    bytes_ -= oldest.bytes;
    const StrokeKey stroke = oldest.stroke;
    segments_.pop_front();
    ++first_;
    StrokeState& state = strokes_[stroke];
    state.is_whole = false;
    if (--state.segments == 0) strokes_.erase(stroke);
}

// Sets all samples of these segments by the rule.
template <class Brick>
void History::settle(const std::vector<std::uint64_t>& numbers, Trees& trees, Changed& changed) {
    std::map<BrickKey, std::bitset<Brick::kValues>> wanted;
    for (const std::uint64_t number : numbers) {
        for (const BrickChange<Brick>& change : segment(number).template changes<Brick>()) {
            auto& samples = wanted[change.key];
            for (const auto& sample : change.samples) samples.set(sample.index);
        }
    }
    BrickTree<Brick>& tree = trees.of<Brick>();
    for (const auto& [key, samples] : wanted) {
        std::bitset<Brick::kValues> found;
        std::array<typename Brick::Value, Brick::kValues> values{};
        for (const std::uint64_t number : index_of_bricks<Brick>()[key]) {
            Segment& from = segment(number);
            for (const BrickChange<Brick>& change : from.template changes<Brick>()) {
                if (change.key != key) continue;
                for (const auto& sample : change.samples) {
                    if (!found.test(sample.index)) values[sample.index] = sample.before;
                    found.set(sample.index);
                    if (from.active) values[sample.index] = sample.after;
                }
            }
        }
        Brick& brick = tree.writable(key);
        for (std::size_t i = 0; i < Brick::kValues; ++i) {
            if (!samples.test(i) || brick.values[i] == values[i]) continue;
            brick.values[i] = values[i];
            changed.box.include(point_of<Brick>(key, i));
            ++(std::is_same_v<Brick, DensityBrick> ? changed.samples : changed.painted);
        }
        tree.refresh(key);
    }
}

std::optional<Changed> History::set_active(StrokeKey stroke, bool active, Trees& trees) {
    close(trees);
    trees.freeze();
    const auto found = strokes_.find(stroke);
    if (found == strokes_.end() || !found->second.is_whole || found->second.undone != active) return std::nullopt;
    std::vector<std::uint64_t> numbers;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        Segment& segment = segments_[i];
        if (segment.stroke != stroke || segment.active == active) continue;
        segment.active = active;
        segment.toggled = true;
        numbers.push_back(first_ + i);
    }
    found->second.undone = !active;
    found->second.undone_at = ++clock_;
    Changed changed;
    settle<DensityBrick>(numbers, trees, changed);
    settle<PaintBrick>(numbers, trees, changed);
    return changed;
}

std::optional<StrokeKey> History::last_active(std::uint16_t editor) const {
    std::optional<StrokeKey> last;
    std::uint64_t when = 0;
    for (auto it = strokes_.lower_bound({editor, 0}); it != strokes_.end() && it->first.editor == editor; ++it) {
        if (it->second.undone || !it->second.is_whole || it->second.last_edit < when) continue;
        when = it->second.last_edit;
        last = it->first;
    }
    return last;
}

std::optional<StrokeKey> History::last_undone(std::uint16_t editor) const {
    std::optional<StrokeKey> last;
    const auto edited = last_edits_.find(editor);
    std::uint64_t when = edited == last_edits_.end() ? 0 : edited->second;
    for (auto it = strokes_.lower_bound({editor, 0}); it != strokes_.end() && it->first.editor == editor; ++it) {
        if (!it->second.undone || !it->second.is_whole || it->second.undone_at < when) continue;
        when = it->second.undone_at;
        last = it->first;
    }
    return last;
}

}  // namespace quarry::terrain::edits
