#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "tools/grade.hpp"

namespace quarry::app {

// How a report is drawn: with colours and blocks for a person at a terminal, plain for a file or another program.
class Look {
  public:
    explicit Look(bool terminal) : terminal_(terminal) {}
    // Whether the stream is a terminal that can do more than print, and NO_COLOR (see no-color.org) not set.
    static Look of(std::FILE* stream);

    bool is_for_terminal() const noexcept { return terminal_; }

    std::string strong(std::string_view text) const { return paint("\033[1m", text); }
    std::string faint(std::string_view text) const { return paint("\033[2m", text); }
    std::string good(std::string_view text) const { return paint("\033[32m", text); }
    std::string warning(std::string_view text) const { return paint("\033[33m", text); }
    std::string bad(std::string_view text) const { return paint("\033[31m", text); }
    std::string graded(Grade grade, std::string_view text) const;

    // A bar of `width` places of which the share, 0 to 1, is filled; whatever is more than nothing shows.
    std::string bar(double share, int width) const;

  private:
    std::string paint(std::string_view code, std::string_view text) const;

    bool terminal_;
};

// Three digits that matter, in the unit that suits: 812 ns, 4.32 us, 12.0 ms, 2.83 s.
std::string duration_text(double duration_ns);
// 1,234,567
std::string grouped(unsigned long long number);

}  // namespace quarry::app
