// A thread that is not a job of a pool can deliver too: it takes a slot, works, and puts its result.
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include <quarry/frame/inbox.hpp>

using namespace std::chrono_literals;

int main() {
    int lines = 0;
    // [begin docs]
    quarry::Inbox<std::string> inbox({.slots = 4});

    std::thread reader([&] {
        for (int line = 0; line < 20;) {
            quarry::InboxSlot<std::string> slot = inbox.try_take_slot();
            if (!slot) {  // the host has enough for now
                std::this_thread::sleep_for(1ms);
                continue;
            }
            slot.put("line " + std::to_string(line++));  // cannot fail
        }
    });

    while (lines < 20) {
        inbox.deliver({2ms, 3}, [&](const std::string&) { ++lines; });  // at most 3 items and 2 ms per frame
        std::this_thread::sleep_for(1ms);
    }
    reader.join();
    // [end docs]
    std::printf("%d lines\n", lines);
    return 0;
}
