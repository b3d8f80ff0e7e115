// A graph as text, for Graphviz and for Mermaid.
#include <ostream>

#include "jobs/graph/graph_core.hpp"
#include "jobs/pool/lanes.hpp"

namespace quarry {
namespace {

// Inside double quotes.
std::string escaped_for_graph(const std::string& text, const char* quote) {
    std::string result;
    for (const char c : text) {
        if (c == '"') {
            result += quote;
        } else if (c == '\\') {
            result += "\\\\";
        } else {
            result += c == '\n' ? ' ' : c;
        }
    }
    return result;
}

}  // namespace

void TaskGraph::write_text(std::ostream& out) {
    build();
    std::vector<std::vector<std::uint32_t>> before(core().cold.size());
    for (std::uint32_t i = 0; i < core().cold.size(); ++i) {
        for (const std::uint32_t to : core().cold[i].successors) before[to].push_back(i);
    }
    for (const std::uint32_t index : core().order) {
        const impl::ColdNode& node = core().cold[index];
        out << node.name;
        if (node.count) out << " [ranges]";
        if (node.lane != Lane::frame) out << " [" << impl::lane_name(node.lane) << ']';
        if (node.deferrable) out << " [deferrable]";
        const char* separator = " after ";
        for (const std::uint32_t from : before[index]) {
            out << separator << core().cold[from].name;
            separator = ", ";
        }
        out << '\n';
    }
}

void TaskGraph::write_dot(std::ostream& out) {
    build();
    out << "digraph tasks {\n  rankdir=LR;\n  node [shape=box];\n";
    for (const std::uint32_t index : core().order) {
        const impl::ColdNode& node = core().cold[index];
        out << "  n" << index << " [label=\"" << escaped_for_graph(node.name, "\\\"") << '"';
        if (node.deferrable) out << ", style=dashed";
        out << "];\n";
    }
    for (const std::uint32_t index : core().order) {
        for (const std::uint32_t to : core().cold[index].successors) out << "  n" << index << " -> n" << to << ";\n";
    }
    out << "}\n";
}

void TaskGraph::write_mermaid(std::ostream& out) {
    build();
    out << "flowchart LR\n";
    for (const std::uint32_t index : core().order) {
        out << "  n" << index << "[\"" << escaped_for_graph(core().cold[index].name, "#quot;") << "\"]\n";
    }
    for (const std::uint32_t index : core().order) {
        for (const std::uint32_t to : core().cold[index].successors) out << "  n" << index << " --> n" << to << '\n';
    }
}

}  // namespace quarry
