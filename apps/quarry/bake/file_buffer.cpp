#include "bake/file_buffer.hpp"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace quarry::app {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

}  // namespace

FileBuffer::FileBuffer(const std::string& path)
    : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)), buffer_(kBufferBytes) {
    if (file_ < 0) error_ = errno;
    setp(buffer_.data(), buffer_.data() + buffer_.size());
}

FileBuffer::~FileBuffer() {
    close();
}

bool FileBuffer::flush() noexcept {
    const char* next = pbase();
    while (error_ == 0 && next != pptr()) {
        const ssize_t count = ::write(file_, next, static_cast<std::size_t>(pptr() - next));
        if (count > 0) {
            next += count;
            written_ += static_cast<std::uint64_t>(count);
        } else if (errno != EINTR) {
            error_ = errno;
        }
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return error_ == 0;
}

FileBuffer::int_type FileBuffer::overflow(int_type character) {
    if (!flush()) return traits_type::eof();
    if (!traits_type::eq_int_type(character, traits_type::eof())) sputc(traits_type::to_char_type(character));
    return traits_type::not_eof(character);
}

int FileBuffer::sync() {
    return flush() ? 0 : -1;
}

void FileBuffer::close() noexcept {
    if (file_ < 0) return;
    flush();
    if (::close(file_) != 0 && error_ == 0) error_ = errno;
    file_ = -1;
}

}  // namespace quarry::app
