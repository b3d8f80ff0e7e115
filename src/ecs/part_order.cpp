// In which order the systems of a part run: stated orders first, then for conflicts the order of adding.
#include "ecs/part_order.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

#include "ecs/schedule_state.hpp"

namespace quarry::ecs::impl {
namespace {

// Systems are numbered by their place among the members here.
using Numbers = std::vector<std::uint32_t>;

// Which systems come before which, directly or not.
class Ancestors {
  public:
    explicit Ancestors(std::size_t count)
        : words_((count + 63) / 64), bits_(count * words_), has_later_(count, false) {}

    bool test(std::size_t later, std::size_t earlier) const {
        return (bits_[later * words_ + earlier / 64] >> (earlier % 64) & 1) != 0;
    }
    void add(std::size_t later, std::size_t earlier) {
        if (has_later_[later]) {
            for (std::size_t other = 0; other < has_later_.size(); ++other) {
                if (test(other, later)) add_to(other, earlier);
            }
        }
        add_to(later, earlier);
    }

  private:
    void add_to(std::size_t later, std::size_t earlier) {
        for (std::size_t i = 0; i < words_; ++i) bits_[later * words_ + i] |= bits_[earlier * words_ + i];
        bits_[later * words_ + earlier / 64] |= std::uint64_t{1} << (earlier % 64);
        has_later_[earlier] = true;
    }

    const std::size_t words_;
    std::vector<std::uint64_t> bits_;
    std::vector<bool> has_later_;  // of those that come before others, and of their ancestors
};

// Of several that could be next the one added first. Fewer than all: there is a cycle.
Numbers in_order(const std::vector<Numbers>& before) {
    std::vector<Numbers> after(before.size());
    std::vector<std::size_t> pending(before.size());
    std::priority_queue<std::uint32_t, Numbers, std::greater<>> open;
    for (std::uint32_t i = 0; i < before.size(); ++i) {
        for (const std::uint32_t other : before[i]) after[other].push_back(i);
        pending[i] = before[i].size();
        if (before[i].empty()) open.push(i);
    }
    Numbers order;
    while (!open.empty()) {
        const std::uint32_t next = open.top();
        open.pop();
        order.push_back(next);
        for (const std::uint32_t later : after[next]) {
            if (--pending[later] == 0) open.push(later);
        }
    }
    return order;
}

// Which of the earlier ones each system touches something in common with: only these need be compared.
std::vector<Numbers> candidates(const Numbers& members, const std::deque<SystemSpec>& specs) {
    std::map<AccessKey, Numbers> users;
    Numbers exclusive;
    std::vector<Numbers> result(members.size());
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        const SystemSpec& spec = specs[members[i]];
        Numbers& mine = result[i];
        if (spec.exclusive) {
            for (std::uint32_t earlier = 0; earlier < i; ++earlier) mine.push_back(earlier);
            exclusive.push_back(i);
        } else {
            mine = exclusive;
        }
        for (const auto* keys : {&spec.reads, &spec.writes}) {
            for (const AccessKey& key : *keys) {
                Numbers& known = users[key];
                if (!spec.exclusive) mine.insert(mine.end(), known.begin(), known.end());
                if (known.empty() || known.back() != i) known.push_back(i);
            }
        }
        std::sort(mine.begin(), mine.end());
        mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
        if (!mine.empty() && mine.back() == i) mine.pop_back();
    }
    return result;
}

std::vector<Numbers> numbered(const Numbers& members, const std::vector<Numbers>& stated) {
    std::map<std::uint32_t, std::uint32_t> place;
    for (std::uint32_t i = 0; i < members.size(); ++i) place[members[i]] = i;
    std::vector<Numbers> before(members.size());
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        for (const std::uint32_t other : stated[members[i]]) before[i].push_back(place.at(other));
        std::sort(before[i].begin(), before[i].end());
        before[i].erase(std::unique(before[i].begin(), before[i].end()), before[i].end());
    }
    return before;
}

// By place in the order, without those that follow from others.
std::vector<Numbers> without_detours(const std::vector<Numbers>& before, const Numbers& order, const Ancestors& all) {
    Numbers place(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    std::vector<Numbers> result(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        Numbers mine = before[order[i]];
        std::sort(mine.begin(), mine.end(), [&](std::uint32_t a, std::uint32_t b) { return place[a] > place[b]; });
        for (const std::uint32_t earlier : mine) {
            const bool follows = std::any_of(result[i].begin(), result[i].end(), [&](std::uint32_t kept) {
                return order[kept] == earlier || all.test(order[kept], earlier);
            });
            if (!follows) result[i].push_back(place[earlier]);
        }
    }
    return result;
}

}  // namespace

std::optional<PartOrder> order_of_part(const Numbers& members, const std::vector<Numbers>& stated_by_system,
                                       const std::deque<SystemSpec>& specs) {
    std::vector<Numbers> before = numbered(members, stated_by_system);
    const Numbers stated_order = in_order(before);
    if (stated_order.size() != members.size()) return std::nullopt;
    Ancestors stated(members.size());
    for (const std::uint32_t i : stated_order) {
        for (const std::uint32_t earlier : before[i]) stated.add(i, earlier);
    }
    // Conflicts that are not ordered yet, by stated orders or by what follows from other conflicts: as they were added.
    // From the latest on, so that most of them follow.
    PartOrder result;
    Ancestors all = stated;
    const std::vector<Numbers> conflicts = candidates(members, specs);
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        const std::size_t told = result.unordered.size();
        for (auto earlier = conflicts[i].rbegin(); earlier != conflicts[i].rend(); ++earlier) {
            const SystemSpec& first = specs[members[*earlier]];
            const SystemSpec& second = specs[members[i]];
            if (!in_conflict(first, second)) continue;
            if (!all.test(i, *earlier) && !all.test(*earlier, i)) {
                all.add(i, *earlier);
                before[i].push_back(*earlier);
            }
            const bool is_stated = stated.test(i, *earlier) || stated.test(*earlier, i);
            if (is_stated || first.exclusive || second.exclusive) continue;
            result.unordered.push_back({members[*earlier], members[i], all.test(*earlier, i)});
        }
        std::reverse(result.unordered.begin() + static_cast<std::ptrdiff_t>(told), result.unordered.end());
    }
    const Numbers order = in_order(before);
    for (const std::uint32_t i : order) result.systems.push_back(members[i]);
    result.before = without_detours(before, order, all);
    return result;
}

}  // namespace quarry::ecs::impl
