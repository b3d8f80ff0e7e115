#pragma once

#include <string_view>

namespace quarry::bench {

// Serves the engine `quarry`, `traced`, `bare` or `terrain-TARGET` on standard input and output; 2 for any other name.
int serve_own_engine(std::string_view name);
// In a file of its own: how deep the compiler inlines the forks depends on all that it finds beside them.
int serve_quarry_engine();

}  // namespace quarry::bench
