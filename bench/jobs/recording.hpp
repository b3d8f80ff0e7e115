#pragma once

#include <string>

#include <quarry/jobs/fwd.hpp>

namespace quarry::bench {

// The engine `traced` is the engine `quarry`, to the last instruction, with a recording of all its pools beside it.
void start_recording();
// Of one more pool, once there is a recording; else nothing.
void record(Pool& pool);
// False if there is none.
bool write_recording(const std::string& path);

}  // namespace quarry::bench
