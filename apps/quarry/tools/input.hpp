#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tools/grade.hpp"

namespace quarry::app {

// Wrong input: the message is one line that says what is wrong and what is allowed.
class WrongInput : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// What was typed behind an option, checked; all of them throw WrongInput.
int whole_number(std::string_view option, std::string_view text, int least, int most);
std::uint64_t seed_number(std::string_view option, std::string_view text);
double real_number(std::string_view option, std::string_view text, double least, double most);
// So many numbers with commas between them.
std::vector<double> number_list(std::string_view option, std::string_view text, std::size_t count, double least,
                                double most);
// Index of the word among the allowed ones; the case of the letters does not matter.
std::size_t one_of(std::string_view option, std::string_view text, std::span<const std::string_view> allowed);
// Whether the two are equal but for the case of their letters.
bool same_word(std::string_view one, std::string_view other);
Grade grade_from(std::string_view option, std::string_view text);
// The text without line ends and other control characters, for a message that may hold what was typed.
std::string one_line(std::string_view text);
// What was typed, in quotes and fit for the one line of a message, whatever it is.
std::string in_quotes(std::string_view text);

}  // namespace quarry::app
