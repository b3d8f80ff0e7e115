#pragma once

#include "jobs/os/os.hpp"

namespace quarry::impl::os {

// The one Shared of the process, made when it is first asked for and never destroyed: threads and static destructors
// may ask at any time. Its member `mutex` is held around every fork, so that a child does not inherit it from a thread
// that it does not have. Of two such locks the one that is taken first must be made last: whatever Shared's constructor
// asks for is made before it.
template <class Shared>
Shared& process_wide() {
    static Shared* const shared = [] {
        auto* const made = new Shared;
        around_fork([] { process_wide<Shared>().mutex.lock(); }, [] { process_wide<Shared>().mutex.unlock(); });
        return made;
    }();
    return *shared;
}

}  // namespace quarry::impl::os
