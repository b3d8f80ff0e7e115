#include "terrain/combination/selection.hpp"

#include <algorithm>
#include <utility>

namespace quarry::terrain::impl {
namespace {

template <class T>
std::vector<std::vector<T>>& spare_lists() {
    static thread_local std::vector<std::vector<T>> lists;
    return lists;
}

template <class T>
std::vector<T> take_list() {
    auto& lists = spare_lists<T>();
    if (lists.empty()) {
        lists.reserve(64);
        return {};
    }
    std::vector<T> list = std::move(lists.back());
    lists.pop_back();
    list.clear();
    return list;
}

template <class T>
void give_back(std::vector<T>&& list) noexcept {
    auto& lists = spare_lists<T>();
    if (lists.size() < lists.capacity()) lists.push_back(std::move(list));
}

}  // namespace

Selection::Selection(const Chain& chain, const Box& box)
    : chain_(chain),
      box_(box),
      sum_(signed_interval(chain.base_sign_, chain.base_->bounds(box))),
      kept_(take_list<Kept>()),
      found_(take_list<Found>()) {
    for (std::uint32_t run = 0; run < chain.runs_.size(); ++run) add_run(run);
}

Selection::~Selection() {
    give_back(std::move(kept_));
    give_back(std::move(found_));
}

// Parts of the run that may matter where sum * so_far is at most `most`, in their order.
//
// Without a blend the result is the least of all, so whatever is above the highest place of any one part is out. With a
// blend each part changes what the next ones meet: only what came before may rule a part out. Where a run does not go
// on, its part turns the sign of what came before, so it always counts.
void Selection::find(const ChainRun& run, float most) {
    found_.clear();
    const float blend = run.join.blend;
    const bool goes_on = run.join.goes_on();
    const auto look_at = [&](std::uint32_t part) {
        const Interval bounds = signed_interval(run.join.part, run.parts[part].field->bounds(box_));
        if (goes_on && bounds.low - most > blend) return true;
        found_.push_back({part, bounds});
        if (!(blend > 0)) most = std::min(most, bounds.high);
        return true;
    };
    for (const std::uint32_t part : run.everywhere) look_at(part);
    run.hierarchy.find(
        box_, [&] { return static_cast<double>(most) + static_cast<double>(blend); }, look_at);
    std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return a.part < b.part; });
    if (!goes_on) return;
    if (!(blend > 0)) {
        std::erase_if(found_, [&](const Found& each) { return each.bounds.low > most; });
        return;
    }
    std::erase_if(found_, [&](const Found& each) {
        if (each.bounds.low - most > blend) return true;
        most = std::min(most, each.bounds.high);
        return false;
    });
}

void Selection::add_run(std::uint32_t number) {
    const ChainRun& run = chain_.runs_[number];
    parts_ += run.parts.size();
    Interval so_far = signed_interval(run.join.sum, sum_);
    find(run, so_far.high);
    const float blend = run.join.blend;
    for (const Found& each : found_) {
        // What lies above this part everywhere, by more than the blend, is hidden by it: all that came before.
        if (so_far.low - each.bounds.high > blend) {
            kept_.clear();
            drops_base_ = true;
            so_far = each.bounds;
        } else {
            so_far = {smooth_minimum(so_far.low, each.bounds.low, blend),
                      smooth_minimum(so_far.high, each.bounds.high, blend)};
        }
        kept_.push_back({number, each.part});
    }
    if (blend > 0 && !found_.empty()) {
        const float slack =
            1e-6F * (std::max(std::abs(so_far.low), std::abs(so_far.high)) + blend) * static_cast<float>(found_.size());
        so_far = {so_far.low - slack, so_far.high + slack};
    }
    // Back from sum * so_far, or over to out * smooth_minimum, which is another sign where the run does not go on.
    sum_ = signed_interval(found_.empty() ? run.join.sum : run.join.out, so_far);
}

const Field& Selection::first() const noexcept {
    if (!drops_base_) return *chain_.base_;
    const Kept& kept = kept_.front();
    return *chain_.runs_[kept.run].parts[kept.part].field;
}

float Selection::first_sign() const noexcept {
    if (!drops_base_) return chain_.base_sign_;
    const Join& join = chain_.runs_[kept_.front().run].join;
    return join.out * join.part;
}

Chain Selection::remaining() const {
    const auto in_box = [&](const std::shared_ptr<const Field>& field) {
        std::shared_ptr<const Field> less = field->within(box_);
        return less == nullptr ? field : less;
    };
    std::vector<ChainRun> runs;
    const auto& base = drops_base_ ? chain_.runs_[kept_.front().run].parts[kept_.front().part].field : chain_.base_;
    for (std::size_t i = first_part(); i < kept_.size(); ++i) {
        const ChainRun& from = chain_.runs_[kept_[i].run];
        const ChainPart& part = from.parts[kept_[i].part];
        if (runs.empty() || i == first_part() || kept_[i].run != kept_[i - 1].run) runs.push_back({from.join, {}});
        runs.back().parts.push_back({in_box(part.field), part.extent});
    }
    return {in_box(base), first_sign(), std::move(runs)};
}

}  // namespace quarry::terrain::impl
