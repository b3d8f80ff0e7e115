// How a schedule is checked, ordered and made into graphs.
#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>

#include "ecs/schedule_state.hpp"

namespace quarry::ecs {

namespace {

std::string joined(const std::vector<std::string>& problems) {
    std::string text = "Schedule: cannot be built:";
    for (const std::string& problem : problems) text += "\n  " + problem;
    return text;
}

}  // namespace

ScheduleError::ScheduleError(std::vector<std::string> problems)
    : Error(joined(problems)), problems_(std::move(problems)) {}

namespace impl {
namespace {

constexpr std::size_t kMostSystemsInAPart = 32'768;

std::string quoted(const std::string& name) {
    return '"' + name + '"';
}

// One bit for each system of a part.
class Bits {
  public:
    explicit Bits(std::size_t count) : words_((count + 63) / 64) {}
    bool test(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
    void set(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
    void add(const Bits& other) {
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    }

  private:
    std::vector<std::uint64_t> words_;
};

}  // namespace

// What is found out while a schedule is built.
struct ScheduleState::Draft {
    std::vector<std::string> problems;
    std::vector<std::string> warnings;
    std::vector<std::uint32_t> phase_of;                      // by system, as it was added
    std::map<std::string, std::vector<std::uint32_t>> named;  // systems and sets
    std::vector<std::vector<std::uint32_t>> before;           // stated orders, by system as it was added
    std::vector<PlannedSystem> systems;
    std::vector<Part> parts;
};

void ScheduleState::check_names(Draft& draft) {
    std::set<std::string> system_names;
    for (std::uint32_t i = 0; i < specs.size(); ++i) {
        const SystemSpec& spec = specs[i];
        if (!system_names.insert(spec.name).second) {
            draft.problems.push_back("two systems are named " + quoted(spec.name));
        }
        draft.named[spec.name].push_back(i);
        const auto phase = std::find_if(phases.begin(), phases.end(),
                                        [&](const PhaseSpec& known) { return known.name == spec.phase; });
        if (phase == phases.end()) {
            draft.problems.push_back("system " + quoted(spec.name) + ": there is no phase " + quoted(spec.phase));
        }
        draft.phase_of.push_back(static_cast<std::uint32_t>(phase - phases.begin()));
        const int bodies = (spec.run ? 1 : 0) + (spec.each ? 1 : 0) + (spec.background.body ? 1 : 0);
        if (bodies != 1) {
            draft.problems.push_back("system " + quoted(spec.name) + ": needs one of run, each and background, has " +
                                     std::to_string(bodies));
        }
        if (spec.background.body && spec.background.ticks == 0) {
            draft.problems.push_back("system " + quoted(spec.name) + ": takes at least one tick in the background");
        }
    }
    for (std::uint32_t i = 0; i < specs.size(); ++i) {
        for (const std::string& set : specs[i].sets) {
            if (system_names.count(set) != 0) {
                draft.problems.push_back("system " + quoted(specs[i].name) + ": " + quoted(set) +
                                         " is a system, so it cannot be a set");
            } else {
                draft.named[set].push_back(i);
            }
        }
    }
}

// Names of stated orders become systems. Orders across parts are either fulfilled by the phases, or contradict them.
void ScheduleState::resolve_orders(Draft& draft) {
    draft.before.resize(specs.size());
    const auto place = [&](std::uint32_t i) { return std::pair(draft.phase_of[i], specs[i].part); };
    const auto order = [&](std::uint32_t first, std::uint32_t second) {
        if (first == second) return;  // of a set that it belongs to
        if (place(first) == place(second)) {
            draft.before[second].push_back(first);
        } else if (place(second) < place(first)) {
            draft.problems.push_back("system " + quoted(specs[first].name) + " cannot run before " +
                                     quoted(specs[second].name) + ": its phase or sync point comes later");
        }
    };
    for (std::uint32_t i = 0; i < specs.size(); ++i) {
        const auto each_named = [&](const std::vector<std::string>& names, const char* relation, auto&& then) {
            for (const std::string& name : names) {
                const auto found = draft.named.find(name);
                if (found == draft.named.end()) {
                    draft.problems.push_back("system " + quoted(specs[i].name) + ": " + relation + ' ' + quoted(name) +
                                             ", which is no system and no set");
                    continue;
                }
                if (specs[i].name == name) {
                    draft.problems.push_back("system " + quoted(name) + ": " + relation + " itself");
                }
                for (const std::uint32_t other : found->second) then(other);
            }
        };
        each_named(specs[i].before, "before", [&](std::uint32_t other) { order(i, other); });
        each_named(specs[i].after, "after", [&](std::uint32_t other) { order(other, i); });
    }
}

namespace {

// Members in a stated order, of several that could be next the one added first. Fewer than all: there is a cycle.
std::vector<std::uint32_t> in_stated_order(const std::vector<std::uint32_t>& members,
                                           const std::vector<std::vector<std::uint32_t>>& before) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> after;
    std::map<std::uint32_t, std::size_t> pending;
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> open;
    for (const std::uint32_t member : members) {
        for (const std::uint32_t other : before[member]) after[other].push_back(member);
        pending[member] = before[member].size();
        if (before[member].empty()) open.push(member);
    }
    std::vector<std::uint32_t> order;
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

// Which of the earlier ones each system of a part touches something in common with: only these need be compared.
std::vector<std::vector<std::uint32_t>> candidates(const std::vector<std::uint32_t>& order,
                                                   const std::deque<SystemSpec>& specs) {
    std::map<AccessKey, std::vector<std::uint32_t>> users;
    std::vector<std::uint32_t> exclusive;
    std::vector<std::vector<std::uint32_t>> result(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        const SystemSpec& spec = specs[order[i]];
        std::vector<std::uint32_t>& mine = result[i];
        if (spec.exclusive) {
            for (std::uint32_t earlier = 0; earlier < i; ++earlier) mine.push_back(earlier);
            exclusive.push_back(i);
        } else {
            mine = exclusive;
        }
        for (const auto* keys : {&spec.reads, &spec.writes}) {
            for (const AccessKey& key : *keys) {
                std::vector<std::uint32_t>& known = users[key];
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

// Names the cycles with the help of a graph that has nothing but the stated orders.
std::string cycle_text(const std::vector<std::uint32_t>& members, const std::vector<std::vector<std::uint32_t>>& before,
                       const std::deque<SystemSpec>& specs) {
    TaskGraph graph;
    std::map<std::uint32_t, GraphNode> nodes;
    for (const std::uint32_t member : members) nodes.emplace(member, graph.add(specs[member].name, [] {}));
    for (const std::uint32_t member : members) {
        for (const std::uint32_t other : before[member]) {
            if (other != member) nodes.at(member).after(nodes.at(other));
        }
    }
    try {
        graph.build();
    } catch (const GraphError& error) {
        const std::string what = error.what();
        return "systems that wait for each other:" + what.substr(what.find('\n'));
    }
    return "systems that wait for each other";
}

// All but its place among the others.
PlannedSystem plan_of(SystemSpec& spec, std::uint64_t most_commands) {
    PlannedSystem planned;
    planned.spec = &spec;
    planned.enabled = spec.enabled;
    planned.object = spec.run.object();
    planned.invoke = spec.run.invoke();
    planned.limit = spec.command_limit != 0 ? spec.command_limit : most_commands;
    if (spec.background.body) planned.background = std::make_unique<BackgroundRun>();
    return planned;
}

}  // namespace

void ScheduleState::order_part(Draft& draft, const std::vector<std::uint32_t>& members) {
    for (const std::uint32_t member : members) {
        std::vector<std::uint32_t>& before = draft.before[member];
        std::sort(before.begin(), before.end());
        before.erase(std::unique(before.begin(), before.end()), before.end());
    }
    const std::vector<std::uint32_t> order = in_stated_order(members, draft.before);
    if (order.size() != members.size()) {
        draft.problems.push_back(cycle_text(members, draft.before, specs));
        return;
    }
    if (order.size() > kMostSystemsInAPart) {
        draft.problems.push_back("phase " + quoted(specs[order[0]].phase) + ": more than " +
                                 std::to_string(kMostSystemsInAPart) + " systems");
        return;
    }
    std::vector<std::uint32_t> place(specs.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    const auto conflicts = candidates(order, specs);

    // Ancestors by stated orders alone say which conflicts nobody has ordered; those by all orders, which of them need
    // no edge of their own.
    std::vector<Bits> stated(order.size(), Bits(order.size()));
    std::vector<Bits> ancestors(order.size(), Bits(order.size()));
    const std::uint32_t part = static_cast<std::uint32_t>(draft.parts.size()) - 1;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        std::vector<std::uint32_t> before;
        for (const std::uint32_t other : draft.before[order[i]]) {
            const std::uint32_t at = place[other];
            before.push_back(at);
            stated[i].set(at);
            stated[i].add(stated[at]);
        }
        for (const std::uint32_t at : conflicts[i]) {
            const SystemSpec& first = specs[order[at]];
            const SystemSpec& second = specs[order[i]];
            if (!in_conflict(first, second)) continue;
            before.push_back(at);
            if (stated[i].test(at) || first.exclusive || second.exclusive) continue;
            const std::string text = quoted(first.name) + " and " + quoted(second.name) + " both touch " +
                                     conflict_text(first, second) + " without a stated order";
            if (options.unordered_conflicts_are_errors) {
                draft.problems.push_back(text);
            } else {
                draft.warnings.push_back(text + ": " + quoted(first.name) + " runs first");
            }
        }
        // From the latest on: what is an ancestor already needs no edge.
        std::sort(before.begin(), before.end(), std::greater<>());
        PlannedSystem planned = plan_of(specs[order[i]], options.most_commands);
        planned.number = static_cast<std::uint32_t>(draft.systems.size());
        planned.part = part;
        for (const std::uint32_t at : before) {
            if (ancestors[i].test(at)) continue;
            ancestors[i].set(at);
            ancestors[i].add(ancestors[at]);
            planned.before.push_back(at);
        }
        draft.systems.push_back(std::move(planned));
    }
}

void ScheduleState::build() {
    if (built) return;
    Draft draft;
    check_names(draft);
    if (draft.problems.empty()) {
        resolve_orders(draft);
    } else {
        // Names that do not resolve are worth telling even then.
        std::vector<std::string> so_far = std::move(draft.problems);
        draft.problems.clear();
        resolve_orders(draft);
        so_far.insert(so_far.end(), draft.problems.begin(), draft.problems.end());
        draft.problems = std::move(so_far);
    }
    for (std::uint32_t phase = 0; phase < phases.size(); ++phase) {
        for (std::uint32_t part = 0; part <= phases[phase].sync_points; ++part) {
            std::vector<std::uint32_t> members;
            for (std::uint32_t i = 0; i < specs.size(); ++i) {
                if (draft.phase_of[i] == phase && specs[i].part == part) members.push_back(i);
            }
            if (members.empty()) continue;
            Part& made = draft.parts.emplace_back();
            made.name = phases[phase].name;
            if (phases[phase].sync_points != 0) made.name += " " + std::to_string(part + 1);
            made.first = static_cast<std::uint32_t>(draft.systems.size());
            order_part(draft, members);
            made.last = static_cast<std::uint32_t>(draft.systems.size());
        }
    }
    if (!draft.problems.empty()) throw ScheduleError(std::move(draft.problems));
    // Background systems that are under way end with the plan they belong to.
    for (PlannedSystem& system : systems) {
        if (system.background != nullptr && system.background->job.valid()) system.background->job.wait();
    }
    warnings = std::move(draft.warnings);
    systems = std::move(draft.systems);
    parts = std::move(draft.parts);
    for (Part& part : parts) make_graph(part);
    report.systems.assign(systems.size(), {});
    for (std::size_t i = 0; i < systems.size(); ++i) report.systems[i].name = &systems[i].spec->name;
    path_.assign(systems.size(), 0);
    built = true;
}

void ScheduleState::make_graph(Part& part) {
    std::vector<GraphNode> nodes;
    for (std::uint32_t i = part.first; i < part.last; ++i) {
        PlannedSystem* const system = &systems[i];
        const SystemSpec* const spec = system->spec;
        if (spec->each) {
            nodes.push_back(part.graph.add_ranges(
                spec->name,
                [this, system, spec]() -> std::uint64_t {
                    return system->left_out ? 0 : spec->count(world_, buffer_of_thread(), 0, 0);
                },
                [this, system](IndexRange range) { run_block(*system, range.first, range.last); }, spec->grain));
        } else if (spec->run) {
            nodes.push_back(part.graph.add(spec->name, [this, system] { run_plain(*system); }));
        } else {
            nodes.push_back(part.graph.add(spec->name, [this, system] { run_background(*system); }));
        }
        if (spec->condition && !spec->background.body) {
            nodes.back().run_if([this, system, spec] {
                return !system->left_out && spec->condition(world_, buffer_of_thread(), 0, 0) != 0;
            });
        }
        for (const std::uint32_t at : system->before) nodes.back().after(nodes[at]);
    }
    part.graph.build();
}

}  // namespace impl
}  // namespace quarry::ecs
