#pragma once

#include <string_view>

namespace quarry::bench {

// Serves the engine `quarry`, `traced` or `bare` on standard input and output; 2 for any other name.
int serve_own_engine(std::string_view name);

}  // namespace quarry::bench
