#pragma once

#include <cstddef>
#include <cstdint>

#include <quarry/jobs/channel.hpp>

namespace quarry::bench {

class QuarryChannel {
  public:
    explicit QuarryChannel(std::size_t capacity) : channel_(capacity) {}
    void send(std::uint64_t value) { channel_.send(std::move(value)); }
    std::uint64_t receive() { return channel_.receive().value(); }

  private:
    Channel<std::uint64_t> channel_;
};

}  // namespace quarry::bench
