#pragma once

#include <cstdint>
#include <streambuf>
#include <string>
#include <vector>

namespace quarry::app {

// A file that is written from its beginning, and remembers what the system said: a plain std::ofstream tells only that
// something went wrong.
class FileBuffer final : public std::streambuf {
  public:
    // Writes over the file of that name.
    explicit FileBuffer(const std::string& path);
    FileBuffer(const FileBuffer&) = delete;
    FileBuffer& operator=(const FileBuffer&) = delete;
    ~FileBuffer() override;

    // Hands over what is left, and waits for what the system says to that.
    void close() noexcept;
    // The number of the first error, 0 if there was none.
    int error() const noexcept { return error_; }
    std::uint64_t written() const noexcept { return written_; }

  protected:
    int_type overflow(int_type character) override;
    int sync() override;

  private:
    bool flush() noexcept;

    int file_;
    int error_ = 0;
    std::uint64_t written_ = 0;
    std::vector<char> buffer_;
};

}  // namespace quarry::app
