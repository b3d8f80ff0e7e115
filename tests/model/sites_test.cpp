#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

// No memory order can be weakened unnoticed: each one in a protocol that is stronger than relaxed has a mutation site,
// and each site a mutant that must be caught.
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = QUARRY_SOURCE_DIR;

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> protocol_headers() {
    std::vector<fs::path> headers = {kRoot / "src/jobs/worker/counters.hpp", kRoot / "src/jobs/trace/ring.hpp",
                                     kRoot / "src/frame/inbox/arrivals.hpp"};
    for (const char* const folder : {"claim", "completion", "deque", "gate", "parking", "queue", "slot"}) {
        for (const auto& entry : fs::directory_iterator(kRoot / "src/jobs" / folder)) {
            if (entry.path().extension() == ".hpp") headers.push_back(entry.path());
        }
    }
    for (const char* const name : {"channel_ring.hpp", "channel_waiters.hpp", "scan_sweep.hpp"}) {
        headers.push_back(kRoot / "include/quarry/jobs/impl" / name);
    }
    return headers;
}

// Orders that are kept although no model needs them, each with its reason in the README beside it, and one that is no
// part of a protocol.
const std::set<std::string> kKept = {
    "free_permits.hpp: if (top_.compare_exchange_weak(seen, pack(below, turn_after(seen)), std::memory_order_acquire,",
    "parker.hpp: state_.compare_exchange_strong(seen, kNotified, std::memory_order_release, "
    "std::memory_order_relaxed);",
    "permit_gate.hpp: if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;",
};

TEST(MutationSites, EveryOrderHasOne) {
    const std::regex strong("std::memory_order_(acquire|release|acq_rel|seq_cst)");
    const std::regex site(R"(Policy::(order|acq_rel|step)\(|Policy::fence\(Mutation::)");
    for (const fs::path& header : protocol_headers()) {
        std::ifstream file(header);
        std::string before;
        for (std::string line; std::getline(file, line);) {
            const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
            const std::string shown = header.filename().string() + ": " + line.substr(indent);
            const bool has_site = std::regex_search(line, site) || std::regex_search(before, site);
            if (std::regex_search(line, strong) && !has_site) {
                EXPECT_TRUE(kKept.contains(shown)) << shown << "\nhas no mutation site";
            }
            // An order may stand on the line after its site, or after the condition on it.
            before = line.find(';') == std::string::npos ? line : std::string();
        }
    }
}

// What goes wrong under a mutation is the model's business: a protocol holds its right steps only.
TEST(MutationSites, NoHeaderHoldsAWrongStep) {
    for (const fs::path& header : protocol_headers()) {
        EXPECT_EQ(text_of(header).find("mutated"), std::string::npos) << header;
    }
}

TEST(MutationSites, EachIsThatOfAMutant) {
    const std::string names = text_of(kRoot / "include/quarry/jobs/impl/mutation.hpp");
    std::string tests;
    for (const auto& entry : fs::directory_iterator(kRoot / "tests/model")) {
        if (entry.path().extension() == ".cpp") tests += text_of(entry.path());
    }
    const std::regex enumerator(R"(\n    (\w+),)");
    int sites = 0;
    for (auto found = std::sregex_iterator(names.begin(), names.end(), enumerator); found != std::sregex_iterator();
         ++found) {
        const std::string name = (*found)[1];
        ++sites;
        // The model checker cannot show what goes wrong without it: README.md of the deque.
        if (name == "none" || name == "deque_push_refresh") continue;
        EXPECT_TRUE(tests.find("Mutation::" + name + ",") != std::string::npos) << name << " is never tried";
    }
    EXPECT_GT(sites, 100);
}

}  // namespace
