#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"

namespace quarry::app::test_support {

// Options of a command that a test types, without a command line.
class TypedOptions final : public Options {
  public:
    void flag(const char* name, bool& value, const char*) override {
        sets_[name] = [&value](const std::string&) { value = true; };
    }
    void option(const char* name, Set set, const char*, const char*) override { sets_[name] = std::move(set); }
    void texts(const char* name, std::vector<std::string>& values, const char*, const char*) override {
        sets_[name] = [&values](const std::string& typed) { values.push_back(typed); };
    }
    void word(const char* name, std::string& value, const char*, bool) override {
        sets_[name] = [&value](const std::string& typed) { value = typed; };
    }

    // Throws what the option throws.
    void type(const std::string& name, const std::string& typed) const { sets_.at(name)(typed); }

  private:
    std::map<std::string, Set> sets_;
};

}  // namespace quarry::app::test_support
