#include <cstdio>

#include "jobs/os.hpp"

int main() {
    return std::printf("%d\n", quarry::impl::os::usable_cpus()) > 0 ? 0 : 1;
}
