// A host that submits jobs and goes on working: within a frame the workers that it wakes start on other CPUs.
#include <cstdio>
#include <thread>

#include <quarry/frame/frame_clock.hpp>
#include <quarry/jobs/pool.hpp>

namespace {

long count_primes(long limit) {
    long count = 0;
    for (long n = 2; n < limit; ++n) {
        bool prime = true;
        for (long d = 2; prime && d * d <= n; ++d) prime = n % d != 0;
        if (prime) ++count;
    }
    return count;
}

}  // namespace

int main() {
    long found = 0;
    // [begin docs]
    quarry::Pool pool(2);
    quarry::FrameClock clock(100);
    for (int frame = 0; frame < 10; ++frame) {
        clock.advance();
        pool.begin_frame();  // this thread computes from here on
        quarry::Task<long> task = pool.submit([] { return count_primes(5000); });
        found += count_primes(2000);  // the worker has started meanwhile
        found += task.get();
        pool.end_frame();  // and now it sleeps
        std::this_thread::sleep_until(clock.next_step());
    }
    // [end docs]
    std::printf("%ld primes\n", found);
    return found == 10 * (669 + 303) ? 0 : 1;
}
