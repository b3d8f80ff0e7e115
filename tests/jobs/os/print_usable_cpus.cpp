// quarry_print_usable_cpus [ROOT]: prints how many workers a pool without options has. The files of /proc and /sys that
// tell of control groups are looked for under ROOT: the linker leads the one function that reads them to here.
#include <cstdio>
#include <optional>
#include <string>

#include "jobs/os/cgroup.hpp"
#include "quarry/jobs/pool.hpp"

namespace {

std::string root;

}  // namespace

std::optional<int> read_limit(const std::string& file_system_root) asm("__real_" QUARRY_CGROUP_CPU_LIMIT);
std::optional<int> read_limit_of_root(const std::string& file_system_root) asm("__wrap_" QUARRY_CGROUP_CPU_LIMIT);

std::optional<int> read_limit_of_root(const std::string& file_system_root) {
    return read_limit(root + file_system_root);
}

int main(int count, char** arguments) {
    if (count == 2) root = arguments[1];
    return std::printf("%d\n", quarry::Pool().worker_count()) > 0 ? 0 : 1;
}
