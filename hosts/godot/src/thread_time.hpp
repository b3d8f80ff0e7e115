#pragma once

namespace quarry::godot {

// Processor time of this thread so far, in milliseconds: without what it has waited for, and without other threads.
double thread_milliseconds() noexcept;

}  // namespace quarry::godot
