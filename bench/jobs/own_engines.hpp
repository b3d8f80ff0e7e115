#pragma once

#include <string_view>

namespace quarry::bench {

// Serves the engine `quarry`, `traced` or `bare` on standard input and output; 2 for any other name.
int serve_own_engine(std::string_view name);
// In a file of its own: two copies of the rows in one file are inlined differently, and would not be the same code.
int serve_traced_engine();

}  // namespace quarry::bench
