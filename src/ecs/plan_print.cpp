// The plan as text, for Graphviz and for Mermaid.
#include <ostream>

#include "ecs/schedule_state.hpp"

namespace quarry::ecs::impl {
namespace {

std::string label(const std::string& name, const char* quote) {
    std::string result;
    for (const char c : name) {
        if (c == '"') {
            result += quote;
        } else {
            result += c == '\n' ? ' ' : c;
        }
    }
    return result;
}

void write_access(std::ostream& out, const SystemSpec& spec) {
    const auto list = [&](const char* verb, const std::vector<AccessKey>& keys) {
        const char* separator = verb;
        for (const AccessKey& key : keys) {
            out << separator << key.name();
            separator = ", ";
        }
    };
    if (spec.exclusive) out << ", exclusive";
    if (!spec.enabled) out << ", disabled";
    list("; reads ", spec.reads);
    list("; writes ", spec.writes);
    list("; with ", spec.with);
    list("; without ", spec.without);
}

}  // namespace

void ScheduleCore::write_text(std::ostream& out) {
    build();
    for (const Part& part : state_->parts) {
        out << part.name << '\n';
        for (std::uint32_t i = part.first; i < part.last; ++i) {
            const PlannedSystem& system = state_->systems[i];
            out << "  " << system.spec->name;
            const char* separator = " after ";
            for (const std::uint32_t at : system.before) {
                out << separator << state_->systems[part.first + at].spec->name;
                separator = ", ";
            }
            write_access(out, *system.spec);
            out << '\n';
        }
    }
    for (const std::string& warning : state_->warnings) out << "warning: " << warning << '\n';
}

void ScheduleCore::write_dot(std::ostream& out) {
    build();
    out << "digraph schedule {\n  rankdir=LR;\n  node [shape=box];\n";
    for (std::size_t p = 0; p < state_->parts.size(); ++p) {
        const Part& part = state_->parts[p];
        out << "  subgraph cluster_" << p << " {\n    label=\"" << label(part.name, "\\\"") << "\";\n";
        for (std::uint32_t i = part.first; i < part.last; ++i) {
            out << "    s" << i << " [label=\"" << label(state_->systems[i].spec->name, "\\\"") << "\"];\n";
        }
        for (std::uint32_t i = part.first; i < part.last; ++i) {
            for (const std::uint32_t at : state_->systems[i].before) {
                out << "    s" << part.first + at << " -> s" << i << ";\n";
            }
        }
        out << "  }\n";
    }
    out << "}\n";
}

void ScheduleCore::write_mermaid(std::ostream& out) {
    build();
    out << "flowchart LR\n";
    for (std::size_t p = 0; p < state_->parts.size(); ++p) {
        const Part& part = state_->parts[p];
        out << "  subgraph p" << p << "[\"" << label(part.name, "#quot;") << "\"]\n";
        for (std::uint32_t i = part.first; i < part.last; ++i) {
            out << "    s" << i << "[\"" << label(state_->systems[i].spec->name, "#quot;") << "\"]\n";
        }
        for (std::uint32_t i = part.first; i < part.last; ++i) {
            for (const std::uint32_t at : state_->systems[i].before) {
                out << "    s" << part.first + at << " --> s" << i << '\n';
            }
        }
        out << "  end\n";
    }
    for (std::size_t p = 1; p < state_->parts.size(); ++p) out << "  p" << p - 1 << " --> p" << p << '\n';
}

}  // namespace quarry::ecs::impl
