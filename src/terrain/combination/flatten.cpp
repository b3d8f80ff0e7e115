#include <algorithm>
#include <unordered_set>
#include <utility>

#include "quarry/terrain/combined_field.hpp"
#include "terrain/combination/chain.hpp"

namespace quarry::terrain::impl {
namespace {

using FieldPointer = std::shared_ptr<const Field>;

const CombinedField* as_combined(const FieldPointer& field) {
    return dynamic_cast<const CombinedField*>(field.get());
}

std::uint64_t size_of(const FieldPointer& field) {
    const CombinedField* const combined = as_combined(field);
    return combined == nullptr ? 1 : combined->size();
}

// How the second field joins the first, or, turned around, the first one the second.
Join join_of(const CombinedField& node, bool turned) {
    const auto blend = static_cast<float>(node.blend());
    switch (node.combination()) {
        case Combination::unite:
            return {1, 1, 1, blend};
        case Combination::intersect:
            return {-1, -1, -1, blend};
        default:
            return turned ? Join{-1, 1, -1, blend} : Join{-1, -1, 1, blend};
    }
}

// Whether the combination's parts may join one by one in its place: the least of the least is the least of all.
bool may_open(const Join& join, const CombinedField& node) {
    const Combination inner = join.part > 0 ? Combination::unite : Combination::intersect;
    return join.goes_on() && !(join.blend > 0) && !(node.blend() > 0) && node.combination() == inner;
}

// Parts that several combinations share count once, or a tree that shares all of them would never end.
void add_parts(const Join& join, const FieldPointer& field, std::vector<ChainPart>& parts) {
    std::vector<const FieldPointer*> open{&field};
    std::unordered_set<const Field*> seen;
    while (!open.empty()) {
        const FieldPointer& next = *open.back();
        open.pop_back();
        if (!seen.insert(next.get()).second) continue;
        const CombinedField* const combined = as_combined(next);
        if (combined != nullptr && may_open(join, *combined)) {
            open.push_back(&combined->second());
            open.push_back(&combined->first());
        } else {
            parts.push_back({next, next->extent()});
        }
    }
}

struct Step {
    Join join;
    const FieldPointer* part;
};

}  // namespace

// Down the larger side of each combination: what joins on the way has at most half of the fields, so combinations
// within combinations are no deeper than the logarithm of their number.
Chain flatten(const CombinedField& root) {
    std::vector<Step> steps;
    const CombinedField* node = &root;
    const FieldPointer* base = nullptr;
    while (node != nullptr) {
        const bool turned = size_of(node->second()) > size_of(node->first());
        steps.push_back({join_of(*node, turned), turned ? &node->first() : &node->second()});
        base = turned ? &node->second() : &node->first();
        node = as_combined(*base);
    }
    std::vector<ChainRun> runs;
    std::reverse(steps.begin(), steps.end());
    for (const auto& step : steps) {
        if (runs.empty() || runs.back().join != step.join || !step.join.goes_on()) runs.push_back({step.join, {}});
        add_parts(step.join, *step.part, runs.back().parts);
    }
    return {*base, 1, std::move(runs)};
}

}  // namespace quarry::terrain::impl
