#include "tools/interrupt.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <quarry/jobs/error.hpp>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace quarry::app {

Interrupt::Interrupt(std::function<void()> at_once) : at_once_(std::move(at_once)) {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        // nohup, and shells for what runs in the background, want signals to be ignored.
        struct sigaction now {};
        if (sigaction(each, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&wanted, each);
    }
    signals_ = signalfd(-1, &wanted, SFD_CLOEXEC);
    end_ = eventfd(0, EFD_CLOEXEC);
    if (signals_ < 0 || end_ < 0) throw std::runtime_error("no file descriptor is left to wait for signals with");
    pthread_sigmask(SIG_BLOCK, &wanted, &before_);
    ::signal(SIGXFSZ, SIG_IGN);
    watcher_ = std::thread([this] { watch(); });
}

Interrupt::~Interrupt() {
    const std::uint64_t one = 1;
    // It cannot fail: nothing has been written before.
    if (write(end_, &one, sizeof one) == sizeof one) watcher_.join();
    close(signals_);
    close(end_);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interrupt::watch() {
    std::array<pollfd, 2> waited{pollfd{signals_, POLLIN, 0}, {end_, POLLIN, 0}};
    for (;;) {
        if (poll(waited.data(), waited.size(), -1) < 0) continue;
        if (waited[1].revents != 0) return;
        signalfd_siginfo info{};
        if (read(signals_, &info, sizeof info) != sizeof info) continue;
        const int number = static_cast<int>(info.ssi_signo);
        if (signal_ != 0) {
            if (at_once_) at_once_();
            _exit(status_of_signal(number));
        }
        signal_ = number;
        source_.request_stop();
    }
}

int run_interruptible(OutputFiles& files, const std::function<int(std::stop_token)>& work) {
    const Interrupt interrupt([&files] { files.abandon(); });
    try {
        return work(interrupt.stop_token());
    } catch (const Cancelled&) {
        if (interrupt.signal() == 0) throw;
        files.abandon();
        fmt::print(stderr, "quarry: stopped; no file was written\n");
        return status_of_signal(interrupt.signal());
    }
}

}  // namespace quarry::app
