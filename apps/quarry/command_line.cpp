#include "command_line.hpp"

#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <quarry/version.hpp>

#include "tools/nearest.hpp"
#include "tools/report_file.hpp"

namespace quarry::app {
namespace {

std::string refuse_empty(const std::string& word) {
    return word.empty() ? "takes a value that is not empty" : "";
}

class ParsedOptions final : public Options {
  public:
    explicit ParsedOptions(CLI::App& app) : app_(app) {}

    void flag(const char* name, bool& value, const char* help) override { app_.add_flag(name, value, help); }

    void option(const char* name, Set set, const char* takes, const char* help) override {
        typed_.push_back({{}, std::move(set)});
        Typed& typed = typed_.back();
        typed.option = app_.add_option(name, typed.word, help)->option_text(takes)->check(refuse_empty);
    }

    void texts(const char* name, std::vector<std::string>& values, const char* takes, const char* help) override {
        app_.add_option(name, values, help)->option_text(takes)->check(refuse_empty);
    }

    void word(const char* name, std::string& value, const char* help, bool required) override {
        app_.add_option(name, value, help)->check(refuse_empty)->required(required);
    }

    // After the parsing, so that --help comes first. Throws WrongInput.
    void understand() const {
        for (const Typed& each : typed_) {
            if (each.option->count() != 0) each.set(each.word);
        }
    }

  private:
    struct Typed {
        std::string word;
        Set set;
        const CLI::Option* option = nullptr;
    };

    CLI::App& app_;
    std::deque<Typed> typed_;  // stays where it is: the parser has its address
};

// "quarry bench jobs"
std::string typed_name(const CLI::App& app) {
    return app.get_parent() == nullptr ? app.get_name() : typed_name(*app.get_parent()) + " " + app.get_name();
}

const CLI::App& deepest_parsed(const CLI::App& app) {
    const std::vector<CLI::App*> parsed = app.get_subcommands();
    return parsed.empty() ? app : deepest_parsed(*parsed.front());
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* each : app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); })) {
        names.push_back(each->get_name());
    }
    return names;
}

std::vector<std::string> names_of_options(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* each : app.get_options([](const CLI::Option* option) { return option->nonpositional(); })) {
        for (const std::string& name : each->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

std::string meant(const std::string& word, const std::vector<std::string>& known) {
    const std::optional<std::string> nearest = nearest_word(word, known);
    return nearest ? fmt::format("; did you mean {}?", *nearest) : "";
}

// About the first word that nobody expected.
std::string unknown_word(const CLI::App& app, const std::string& word) {
    const std::string name = typed_name(app);
    if (word.starts_with('-') && word.size() > 1) {
        const std::string option = word.substr(0, word.find('='));
        return fmt::format("{} has no option {}{}", name, in_quotes(option), meant(option, names_of_options(app)));
    }
    const std::vector<std::string> commands = names_of_commands(app);
    if (commands.empty()) return fmt::format("{} has no use for the word {}", name, in_quotes(word));
    const std::string guess = meant(word, commands);
    return fmt::format("{} has no subcommand {}{}", name, in_quotes(word),
                       guess.empty() ? fmt::format("; there are {}", fmt::join(commands, ", ")) : guess);
}

// What the parser found, in our words where its own are hard to read.
std::string parse_failure(const CLI::App& app, const CLI::ParseError& failure) {
    std::string what = failure.what();
    const std::string option = what.substr(0, what.find(':'));
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&failure) != nullptr) {
        const CLI::Option* const found = app.get_option_no_throw(option);
        const bool repeated = found != nullptr && found->count() > 1;
        return option + (repeated ? " can be given only once" : " needs a value");
    }
    const std::vector<std::string> commands = names_of_commands(app);
    if (dynamic_cast<const CLI::RequiredError*>(&failure) != nullptr && !commands.empty()) {
        return fmt::format("{} needs a subcommand: {}", typed_name(app), fmt::join(commands, ", "));
    }
    return what;
}

int report_wrong_input(const CLI::App& app, const std::string& message) {
    fmt::print(stderr, "quarry: {}; see {} --help\n", one_line(message), typed_name(app));
    return kWrongInput;
}

class CommandLine {
  public:
    CommandLine(std::span<const CommandGroup> groups, std::span<const Command> commands) {
        app_.set_version_flag("--version", fmt::format("quarry {}", kVersion));
        app_.require_subcommand(1);
        for (const Command& each : commands) add(groups, each);
    }

    int run(int count, char** words) {
        try {
            app_.parse(count, words);
        } catch (const CLI::ParseError& failure) {
            if (failure.get_exit_code() == 0) {
                app_.exit(failure);
                flush_standard_output();
                return 0;
            }
            const CLI::App& app = deepest_parsed(app_);
            const std::vector<std::string> unknown = app_.remaining(true);
            return report_wrong_input(
                app, unknown.empty() ? parse_failure(app, failure) : unknown_word(app, unknown.front()));
        }
        int status = kWrongInput;
        for (const Entry& entry : entries_) {
            if (entry.app->parsed()) status = run(entry);
        }
        flush_standard_output();
        return status;
    }

  private:
    struct Entry {
        Entry(const Command& its_command, CLI::App& its_app) : command(&its_command), app(&its_app), options(its_app) {}

        const Command* command;
        const CLI::App* app;
        ParsedOptions options;
    };

    void add(std::span<const CommandGroup> groups, const Command& command) {
        const std::size_t space = command.path.find(' ');
        CLI::App& parent = space == std::string::npos ? app_ : group(groups, command.path.substr(0, space));
        CLI::App* app = parent.add_subcommand(command.path.substr(space + 1), command.summary);
        if (command.hidden) app->group("");
        Entry& entry = entries_.emplace_back(command, *app);
        command.declare(entry.options);
    }

    CLI::App& group(std::span<const CommandGroup> groups, const std::string& name) {
        CLI::App*& app = groups_[name];
        if (app != nullptr) return *app;
        for (const CommandGroup& each : groups) {
            if (name == each.name) return *(app = app_.add_subcommand(name, each.summary)->require_subcommand(1));
        }
        throw std::logic_error("the group of commands " + name + " has no summary");
    }

    static int run(const Entry& entry) {
        try {
            entry.options.understand();
            return entry.command->run();
        } catch (const WrongInput& failure) {
            return report_wrong_input(*entry.app, failure.what());
        }
    }

    CLI::App app_{"Quarry: a job engine for games, editors and simulations, with streaming terrain", "quarry"};
    std::map<std::string, CLI::App*> groups_;
    std::deque<Entry> entries_;
};

}  // namespace

int run_command_line(int count, char** words, std::span<const CommandGroup> groups, std::span<const Command> commands) {
    try {
        return CommandLine(groups, commands).run(count, words);
    } catch (const std::exception& failure) {
        fmt::print(stderr, "quarry: {}\n", failure.what());
        return kFailed;
    }
}

}  // namespace quarry::app
