#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace quarry::bench {

// Whether the stream is a terminal on which a line can be drawn again; TERM=dumb cannot.
bool is_live_terminal(std::FILE* stream);

// How many characters a line of the terminal has; 80 where nobody knows.
std::size_t terminal_columns(std::FILE* stream);

// Places on a line, not bytes.
std::size_t characters_in(std::string_view text);

// As much of the text as stays on one line of that many columns, the last of which is left free.
std::string fitting(std::string_view text, std::size_t columns);

}  // namespace quarry::bench
