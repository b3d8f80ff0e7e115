#pragma once

#include <optional>
#include <string_view>

namespace quarry::app {

// The marks of the graded tests, so that a better one compares greater.
enum class Grade { f, c, b, a };

constexpr char letter(Grade grade) {
    switch (grade) {
        case Grade::a:
            return 'A';
        case Grade::b:
            return 'B';
        case Grade::c:
            return 'C';
        default:
            return 'F';
    }
}

constexpr std::optional<Grade> grade_of(std::string_view word) {
    for (const Grade grade : {Grade::a, Grade::b, Grade::c, Grade::f}) {
        if (word.size() == 1 && (word[0] == letter(grade) || word[0] == letter(grade) - 'A' + 'a')) return grade;
    }
    return std::nullopt;
}

}  // namespace quarry::app
