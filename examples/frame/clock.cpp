// A loop with fixed steps: how many to run now, what a stall drops, and where between two steps to draw.
#include <chrono>
#include <cstdio>

#include <quarry/frame/frame_clock.hpp>
#include <quarry/frame/virtual_clock.hpp>

namespace {

struct Ball {
    double height = 100;
    double before = 100;

    void fall(double seconds) {
        before = height;
        height -= 3 * seconds;
    }
};

void draw(double height, std::chrono::steady_clock::time_point when) {
    std::printf(
        "%4d ms: %.2f m\n",
        static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(when.time_since_epoch()).count()),
        height);
}

}  // namespace

int main() {
    using namespace std::chrono_literals;
    quarry::VirtualClock time;  // a game would use the steady clock: clock.advance()
    Ball ball;
    // [begin docs]
    quarry::FrameClock clock(30);  // 30 steps a second, at most 3 of them at once
    clock.advance(time.now());     // starts it

    for (const auto passed : {16ms, 17ms, 16ms, 17ms, 1000ms, 16ms}) {  // one turn of the loop stalls for a second
        time += passed;
        const quarry::FrameSteps due = clock.advance(time.now());
        for (int i = 0; i < due.steps; ++i) ball.fall(clock.period().count());
        if (due.dropped_steps != 0) std::printf("%d steps dropped\n", static_cast<int>(due.dropped_steps));

        const double part = clock.interpolation();  // 0 <= part < 1
        draw(ball.before + (ball.height - ball.before) * part, time.now());
    }
    // [end docs]
    return clock.steps() == 5 && clock.dropped_steps() == 27 ? 0 : 1;
}
