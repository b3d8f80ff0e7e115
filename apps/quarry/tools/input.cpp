#include "tools/input.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace quarry::app {
bool same_word(std::string_view one, std::string_view other) {
    const auto same = [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
    };
    return std::equal(one.begin(), one.end(), other.begin(), other.end(), same);
}

std::string one_line(std::string_view text) {
    std::string line(text);
    for (char& character : line) {
        if (std::iscntrl(static_cast<unsigned char>(character)) != 0) character = '?';
    }
    return line;
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t kMostShown = 40;
    return fmt::format("'{}{}'", one_line(text.substr(0, kMostShown)), text.size() > kMostShown ? "..." : "");
}

int whole_number(std::string_view option, std::string_view text, int least, int most) {
    int value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    if (failure != std::errc() || stop != end || value < least || value > most) {
        throw WrongInput(
            fmt::format("{} takes a whole number from {} to {}, not {}", option, least, most, in_quotes(text)));
    }
    return value;
}

double real_number(std::string_view option, std::string_view text, double least, double most) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    // from_chars reads nan and inf; the comparisons refuse both.
    if (failure != std::errc() || stop != end || !(value >= least && value <= most)) {
        throw WrongInput(fmt::format("{} takes a number from {} to {}, not {}", option, least, most, in_quotes(text)));
    }
    return value;
}

std::uint64_t seed_number(std::string_view option, std::string_view text) {
    std::uint64_t seed = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, seed);
    if (failure != std::errc() || stop != end) {
        throw WrongInput(
            fmt::format("{} takes a whole number from 0 to {}, not {}", option, UINT64_MAX, in_quotes(text)));
    }
    return seed;
}

std::vector<double> number_list(std::string_view option, std::string_view text, std::size_t count, double least,
                                double most) {
    std::vector<double> values;
    std::string_view rest = text;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t comma = rest.find(',');
        const bool is_last = i + 1 == count;
        if ((comma == std::string_view::npos) != is_last) {
            throw WrongInput(
                fmt::format("{} takes {} numbers with commas between them, not {}", option, count, in_quotes(text)));
        }
        values.push_back(real_number(option, rest.substr(0, comma), least, most));
        if (!is_last) rest.remove_prefix(comma + 1);
    }
    return values;
}

std::size_t one_of(std::string_view option, std::string_view text, std::span<const std::string_view> allowed) {
    for (std::size_t index = 0; index < allowed.size(); ++index) {
        if (same_word(text, allowed[index])) return index;
    }
    throw WrongInput(fmt::format("{} takes {}, not {}", option, fmt::join(allowed, ", "), in_quotes(text)));
}

Grade grade_from(std::string_view option, std::string_view text) {
    const std::optional<Grade> grade = grade_of(text);
    if (!grade) throw WrongInput(fmt::format("{} takes A, B, C or F, not {}", option, in_quotes(text)));
    return *grade;
}

}  // namespace quarry::app
