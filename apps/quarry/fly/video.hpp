#pragma once

#include <cstddef>

#include <quarry/jobs/pool.hpp>

#include "fly/flight.hpp"

namespace quarry::app {

// Draws frames of a flight, as files frame_00001.png and so on in a folder.
class Video {
  public:
    // The folder is made if need be. Throws WrongInput.
    Video(Pool& pool, const FlyOptions& options);

    void operator()(const FlyMoment& moment);
    std::size_t frames() const { return frames_; }

  private:
    Pool& pool_;
    const FlyOptions& options_;
    std::size_t frames_ = 0;
};

}  // namespace quarry::app
