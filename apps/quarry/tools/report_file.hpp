#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <quarry/jobs/impl/output_file.hpp>

namespace quarry::app {

// Where a report goes: nowhere (""), to the standard output ("-"), or to a file.
class ReportFile {
  public:
    // Makes sure that it can be written, before time is spent on a run. Throws WrongInput.
    ReportFile(std::string_view option, std::string path);

    // The report for people goes where the other one does not.
    bool is_standard_output() const noexcept { return path_ == "-"; }
    std::FILE* for_people() const noexcept { return is_standard_output() ? stderr : stdout; }
    // A file is either written whole or not at all. Throws std::runtime_error.
    void write(const std::string& text);

  private:
    std::string path_;
    std::optional<quarry::impl::OutputFile> file_;
};

// Refuses a path that cannot be written to, for a file that somebody else will write. Throws WrongInput.
void require_output_path(std::string_view option, const std::string& path);

// Hands over what was printed to the standard output. Throws std::runtime_error if the system does not take it.
void flush_standard_output();

}  // namespace quarry::app
