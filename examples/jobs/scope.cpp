// The jobs of a scope may use locals of the function that opens it, because it returns only when all have ended.
#include <algorithm>
#include <cstdio>
#include <string>

#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/scope.hpp>

int main() {
    // [begin docs]
    quarry::Pool pool;
    std::string text = "the quick brown fox jumps over the lazy dog";

    quarry::ScopeResult<long> spaces;
    quarry::ScopeResult<bool> has_fox;
    pool.scope([&](quarry::Scope& scope) {
        spaces = scope.spawn([&] { return std::count(text.begin(), text.end(), ' '); });
        has_fox = scope.spawn([&] { return text.find("fox") != std::string::npos; });
    });
    std::printf("%ld spaces, %s\n", *spaces, *has_fox ? "a fox" : "no fox");
    // [end docs]
    return *spaces == 8 && *has_fox ? 0 : 1;
}
