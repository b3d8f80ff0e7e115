// A failed job does not stop the others. The scope waits for all, then rethrows the first error, or collects all of
// them if you ask for that.
#include <cstdio>
#include <stdexcept>
#include <vector>

#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/scope.hpp>

int main() {
    // [begin docs]
    quarry::Pool pool;
    std::vector<quarry::JobError> errors;
    std::vector<quarry::ScopeResult<int>> results;

    pool.scope(
        [&](quarry::Scope& scope) {
            for (int i = 0; i < 10; ++i) {
                results.push_back(scope.spawn([i] { return i % 3 == 0 ? throw std::runtime_error("no threes") : i; }));
            }
        },
        quarry::ScopeOptions{.errors = &errors});

    for (const quarry::JobError& failed : errors) {
        try {
            std::rethrow_exception(failed.error);
        } catch (const std::runtime_error& error) {
            std::printf("job %zu: %s\n", failed.index, error.what());
        }
    }
    // [end docs]
    return errors.size() == 4 && !results[9].has_value() && *results[8] == 8 ? 0 : 1;
}
