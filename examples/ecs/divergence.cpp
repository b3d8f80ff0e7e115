#include <cstdint>
#include <cstdio>

#include <quarry/ecs/divergence.hpp>
#include <quarry/ecs/schedule.hpp>

namespace ecs = quarry::ecs;

struct Account {
    std::uint64_t money = 100;
};

int main() {
    ecs::Schedule<Account> schedule;
    // Both change the money, and neither declares it: their order is left to chance.
    schedule.add("interest").run([](Account& account) { account.money *= 2; });
    schedule.add("salary").run([](Account& account) { account.money += 10; });

    Account account;
    // [begin docs]
    ecs::DivergenceChecker<Account> checker(schedule, [](const Account& a) { return a.money; });
    const auto found = checker.check(account, 1, 20);
    if (!found) return 1;
    // [end docs]
    std::printf("phase %s: the result depends on when \"%s\" runs (seed %llu shows it)\n", found->phase.c_str(),
                found->system.c_str(), static_cast<unsigned long long>(found->seed));
    return 0;
}
