#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <streambuf>
#include <utility>
#include <vector>

#include <unistd.h>

namespace quarry::impl {

// Closes it at the end.
class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }

    int number() const noexcept { return number_; }
    explicit operator bool() const noexcept { return number_ >= 0; }
    // Some file systems say only here that they had no room.
    int close() noexcept { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

  private:
    int number_ = -1;
};

// Remembers what the system said: a std::ofstream tells only that something went wrong.
class DescriptorBuffer final : public std::streambuf {
  public:
    explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor), buffer_(kBytes) { reset(); }

    int error() const noexcept { return error_; }
    std::uint64_t written() const noexcept { return written_; }

    bool flush() noexcept {
        const char* next = pbase();
        while (error_ == 0 && next != pptr()) {
            const ssize_t count = ::write(descriptor_, next, static_cast<std::size_t>(pptr() - next));
            if (count >= 0) {
                next += count;
                written_ += static_cast<std::uint64_t>(count);
            } else if (errno != EINTR) {
                error_ = errno;
            }
        }
        reset();
        return error_ == 0;
    }

  protected:
    int_type overflow(int_type character) override {
        if (!flush()) return traits_type::eof();
        if (!traits_type::eq_int_type(character, traits_type::eof())) sputc(traits_type::to_char_type(character));
        return traits_type::not_eof(character);
    }
    int sync() override { return flush() ? 0 : -1; }

  private:
    static constexpr std::size_t kBytes = std::size_t{1} << 18;

    void reset() noexcept { setp(buffer_.data(), buffer_.data() + buffer_.size()); }

    int descriptor_;
    int error_ = 0;
    std::uint64_t written_ = 0;
    std::vector<char> buffer_;
};

}  // namespace quarry::impl
