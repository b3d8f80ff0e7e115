#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "jobs/measure.hpp"

namespace quarry::bench {

struct Reply {
    enum class Status { done, unsupported, error, died, hung };
    Status status = Status::died;
    Answer answer;
    std::string text;  // the reason, where it is not done
};

// An engine in a process of its own, spoken to in lines (see jobs/engine_host.hpp). Killed with this object, and by
// the system if this process dies.
class EngineProcess {
  public:
    EngineProcess(std::string name, std::vector<std::string> command);
    ~EngineProcess();
    EngineProcess(const EngineProcess&) = delete;
    EngineProcess& operator=(const EngineProcess&) = delete;

    const std::string& name() const { return name_; }

    // Starts the process if it does not run. A request that cannot be sent is answered with `died`.
    void send(const std::string& request);
    Reply receive(std::chrono::milliseconds patience);
    Reply ask(const std::string& request, std::chrono::milliseconds patience);
    // Ends the process, if it runs; the next request starts a new one.
    void stop();

    // Waits until the process's CPU time stands still, so that threads that spin for a while after their work do not
    // disturb the next engine.
    void settle() const;

  private:
    void start();
    bool read_line(std::string& line, std::chrono::steady_clock::time_point deadline, Reply& reply);
    std::int64_t cpu_ns() const;

    std::string name_;
    std::vector<std::string> command_;
    pid_t process_ = -1;
    int socket_ = -1;
    std::string unread_;
};

}  // namespace quarry::bench
