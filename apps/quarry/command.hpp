#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/input.hpp"

namespace quarry::app {

constexpr int kFailed = 1;      // it ran and failed
constexpr int kWrongInput = 2;  // it did not run
constexpr int kNotJudged = 3;   // it ran, but the machine did not let it show what it can

template <class Number>
struct Range {
    Number least;
    Number most;
};

// Collects what a command can be given. Each option has a name, a place for its value, what it takes (a word for the
// help) and a line of help. Values that are not given stay as they are. A value that is not allowed is refused by a
// line that names the option and says what is; so is an empty one.
class Options {
  public:
    using Set = std::function<void(const std::string& typed)>;

    Options() = default;
    Options(const Options&) = delete;
    Options& operator=(const Options&) = delete;
    virtual ~Options() = default;

    virtual void flag(const char* name, bool& value, const char* help) = 0;
    // Any value, understood by `set`, which throws WrongInput.
    virtual void option(const char* name, Set set, const char* takes, const char* help) = 0;
    // Can be given several times, and with several values each time.
    virtual void texts(const char* name, std::vector<std::string>& values, const char* takes, const char* help) = 0;
    // A word without a name before it.
    virtual void word(const char* name, std::string& value, const char* help, bool required = false) = 0;

    // The value may be optional in what follows: std::optional<int> for int, and so on.
    template <class Value>
    void text(const char* name, Value& value, const char* takes, const char* help) {
        option(
            name, [&value](const std::string& typed) { value = typed; }, takes, help);
    }

    template <class Value>
    void whole(const char* name, Value& value, Range<int> range, const char* takes, const char* help) {
        option(
            name, [=, &value](const std::string& typed) { value = whole_number(name, typed, range.least, range.most); },
            takes, help);
    }

    template <class Value>
    void real(const char* name, Value& value, Range<double> range, const char* takes, const char* help) {
        option(
            name, [=, &value](const std::string& typed) { value = real_number(name, typed, range.least, range.most); },
            takes, help);
    }

    template <class Value>
    void seed(const char* name, Value& value, const char* help) {
        option(
            name, [=, &value](const std::string& typed) { value = seed_number(name, typed); }, "N", help);
    }

    // One of some names, in the order of the enumeration.
    template <class Enumeration>
    void choice(const char* name, Enumeration& value, std::span<const std::string_view> names, const char* takes,
                const char* help) {
        option(
            name,
            [=, &value](const std::string& typed) { value = static_cast<Enumeration>(one_of(name, typed, names)); },
            takes, help);
    }

    template <class Value>
    void grade(const char* name, Value& value, const char* help) {
        option(
            name, [=, &value](const std::string& typed) { value = grade_from(name, typed); }, "GRADE", help);
    }

    // Where the report goes.
    void json(std::string& path) {
        text("--json", path, "FILE", "Write a machine-readable report; - is the standard output");
    }
};

// A command of the program: one file that defines command<NameOfIt>(), and a line in the list of main.cpp.
struct Command {
    std::string path;  // "bake", or "bench jobs" for one of a group
    std::string summary;
    std::function<void(Options&)> declare;
    // Gives the status: 0, kFailed, or throws WrongInput.
    std::function<int()> run;
    bool hidden = false;  // not for people
};

template <class Name>
Command command();

// A command that keeps its values in Arguments.
template <class Arguments>
Command make_command(std::string path, std::string summary, void (*declare)(Options&, Arguments&),
                     int (*run)(const Arguments&)) {
    const auto arguments = std::make_shared<Arguments>();
    return {std::move(path), std::move(summary), [=](Options& options) { declare(options, *arguments); },
            [=] { return run(*arguments); }};
}

}  // namespace quarry::app
