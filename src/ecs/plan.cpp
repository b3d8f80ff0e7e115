// How a schedule is checked, ordered and made into graphs.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ecs/part_order.hpp"
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
    planned.limit = spec.command_limit.value_or(most_commands);
    if (spec.background.body) planned.background = std::make_unique<BackgroundRun>();
    return planned;
}

}  // namespace

void ScheduleState::order_part(Draft& draft, const std::vector<std::uint32_t>& members) {
    if (members.size() > kMostSystemsInAPart) {
        draft.problems.push_back("phase " + quoted(specs[members[0]].phase) + ": more than " +
                                 std::to_string(kMostSystemsInAPart) + " systems");
        return;
    }
    const std::optional<PartOrder> order = order_of_part(members, draft.before, specs);
    if (!order) {
        draft.problems.push_back(cycle_text(members, draft.before, specs));
        return;
    }
    for (const UnorderedPair& pair : order->unordered) {
        const SystemSpec& first = specs[pair.added_first];
        const SystemSpec& second = specs[pair.added_later];
        const std::string text = quoted(first.name) + " and " + quoted(second.name) + " both touch " +
                                 conflict_text(first, second) + " without a stated order";
        if (options.unordered_conflicts_are_errors) {
            draft.problems.push_back(text);
        } else {
            draft.warnings.push_back(text + ": " + quoted(pair.turned ? second.name : first.name) + " runs first");
        }
    }
    const std::uint32_t part = static_cast<std::uint32_t>(draft.parts.size()) - 1;
    for (std::size_t i = 0; i < order->systems.size(); ++i) {
        PlannedSystem planned = plan_of(specs[order->systems[i]], options.most_commands);
        planned.number = static_cast<std::uint32_t>(draft.systems.size());
        planned.part = part;
        planned.before = order->before[i];
        draft.systems.push_back(std::move(planned));
    }
}

// Background systems that are under way end in their tick, whatever has changed around them.
void ScheduleState::keep_background(std::vector<PlannedSystem>& planned) {
    for (PlannedSystem& old : systems) {
        if (old.background == nullptr) continue;
        const auto same = std::find_if(planned.begin(), planned.end(),
                                       [&](const PlannedSystem& system) { return system.spec == old.spec; });
        if (same != planned.end()) same->background = std::move(old.background);
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
    keep_background(draft.systems);
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
