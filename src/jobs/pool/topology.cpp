#include "jobs/pool/topology.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <functional>
#include <utility>

#include "jobs/os/os.hpp"
#include "quarry/jobs/error.hpp"

#if defined(QUARRY_HAS_HWLOC)
#include <memory>

#include <hwloc.h>
#endif

namespace quarry::impl {
namespace {

constexpr int kNoDomain = -1;
constexpr std::size_t kKinds = 4;  // second-level cache, third-level cache, NUMA node, package
constexpr int kFewestWorkersWithOrder = 3;

// The number of the cache, node and package that a CPU belongs to, the smallest kind of domain first.
using Domains = std::array<int, kKinds>;
constexpr Domains kUnknown = {kNoDomain, kNoDomain, kNoDomain, kNoDomain};

// Indexed by the system's number of a CPU.
using CpuDomains = std::vector<Domains>;

// The index of the smallest kind of domain that both are in; kKinds when they have none in common.
std::size_t distance(const Domains& a, const Domains& b) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
        if (a[kind] != kNoDomain && a[kind] == b[kind]) return kind;
    }
    return kKinds;
}

std::vector<std::vector<int>> group(int worker, int worker_count, const std::function<Domains(int)>& domains_of) {
    std::vector<std::vector<int>> groups(kKinds + 1);
    const Domains own = domains_of(worker);
    for (int other = 0; other < worker_count; ++other) {
        if (other != worker) groups[distance(own, domains_of(other))].push_back(other);
    }
    std::erase_if(groups, [](const auto& members) { return members.empty(); });
    return groups;
}

#if defined(QUARRY_HAS_HWLOC)

struct DestroyTopology {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;

Topology new_topology() {
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0) return nullptr;
    return Topology(topology);
}

// A domain that holds more is a larger kind. Which of NUMA node and package that is differs between machines,
// and a machine without NUMA shows one node that holds everything.
std::array<hwloc_obj_type_t, kKinds> kinds_from_small_to_large(hwloc_topology_t topology) {
    std::array kinds = {HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_NUMANODE, HWLOC_OBJ_PACKAGE};
    std::stable_sort(kinds.begin(), kinds.end(), [topology](auto a, auto b) {
        return hwloc_get_nbobjs_by_type(topology, a) > hwloc_get_nbobjs_by_type(topology, b);
    });
    return kinds;
}

int domain_of(hwloc_topology_t topology, hwloc_obj_t processing_unit, hwloc_obj_type_t kind) {
    // NUMA nodes hang beside the tree of caches, so they are no ancestors.
    if (kind == HWLOC_OBJ_NUMANODE) return hwloc_bitmap_first(processing_unit->nodeset);
    const hwloc_obj_t domain = hwloc_get_ancestor_obj_by_type(topology, kind, processing_unit);
    return domain == nullptr ? kNoDomain : static_cast<int>(domain->logical_index);
}

CpuDomains read_domains(hwloc_topology_t topology) {
    const auto kinds = kinds_from_small_to_large(topology);
    CpuDomains domains;
    for (hwloc_obj_t unit = nullptr; (unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit)) != nullptr;) {
        const std::size_t cpu = unit->os_index;
        if (domains.size() <= cpu) domains.resize(cpu + 1, kUnknown);
        for (std::size_t i = 0; i < kKinds; ++i) domains[cpu][i] = domain_of(topology, unit, kinds[i]);
    }
    return domains;
}

CpuDomains domains_of_this_machine() {
    const Topology topology = new_topology();
    if (!topology) return {};
    // The affinity mask may be widened later, so CPUs outside it are kept.
    hwloc_topology_set_flags(topology.get(), HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
#if HWLOC_API_VERSION >= 0x00020100
    // It would move the calling thread from CPU to CPU, to learn what the system's files say as well.
    hwloc_topology_set_components(topology.get(), HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
#endif
    if (hwloc_topology_load(topology.get()) != 0) return {};
    return read_domains(topology.get());
}

CpuDomains domains_of_description(const std::string& description) {
    const Topology topology = new_topology();
    if (!topology || hwloc_topology_set_synthetic(topology.get(), description.c_str()) != 0 ||
        hwloc_topology_load(topology.get()) != 0) {
        throw Error("\"" + description + "\" does not describe a machine; allowed is what hwloc understands, such as " +
                    "\"pack:2 l3:2 core:4 pu:2\"");
    }
    return read_domains(topology.get());
}

#else

CpuDomains domains_of_this_machine() {
    return {};
}

CpuDomains domains_of_description(const std::string&) {
    throw Error("this build of Quarry has no hwloc, so it understands no description of a machine");
}

#endif

}  // namespace

std::vector<std::vector<int>> victim_groups(int worker, int worker_count) {
    assert(worker >= 0 && worker < worker_count);
    if (worker_count < kFewestWorkersWithOrder) {
        return group(worker, worker_count, [](int) { return kUnknown; });
    }
    static const CpuDomains machine = domains_of_this_machine();
    const std::vector<int> cpus = os::affinity_cpus();
    return group(worker, worker_count, [&](int index) {
        const auto cpu = static_cast<std::size_t>(cpus[static_cast<std::size_t>(index) % cpus.size()]);
        return cpu < machine.size() ? machine[cpu] : kUnknown;
    });
}

std::vector<std::vector<int>> victim_groups_on(const std::string& description, int worker, int worker_count) {
    assert(worker >= 0 && worker < worker_count);
    const CpuDomains machine = domains_of_description(description);
    return group(worker, worker_count,
                 [&](int index) { return machine[static_cast<std::size_t>(index) % machine.size()]; });
}

}  // namespace quarry::impl
