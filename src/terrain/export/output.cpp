#include "terrain/export/output.hpp"

#include <algorithm>
#include <charconv>
#include <ostream>
#include <string>

#include "quarry/jobs/error.hpp"

namespace quarry::terrain::impl {

void Output::text(std::string_view text) {
    while (!text.empty()) {
        const std::size_t piece = std::min(text.size(), kBuffer);
        std::copy_n(text.begin(), piece, room(piece));
        text.remove_prefix(piece);
    }
}

template <class Number>
void Output::put_decimal(Number value) {
    if (used_ + kLongestNumber > kBuffer) flush();
    char* const first = buffer_.data() + used_;
    const auto result = std::to_chars(first, first + kLongestNumber, value);
    used_ += static_cast<std::size_t>(result.ptr - first);
}

void Output::decimal(double value) {
    put_decimal(value);
}
void Output::decimal(float value) {
    put_decimal(value);
}
void Output::decimal(std::uint64_t value) {
    put_decimal(value);
}
void Output::decimal(std::int64_t value) {
    put_decimal(value);
}

void Output::flush() {
    if (stop_token_.stop_requested()) throw Cancelled("the export was stopped before its end");
    if (out_ != nullptr) {
        bool is_taken = false;
        try {
            out_->write(buffer_.data(), static_cast<std::streamsize>(used_));
            is_taken = out_->good();
        } catch (const std::ios_base::failure&) {  // from streams that are set to throw
            is_taken = false;
        }
        if (!is_taken) {
            throw Error("the stream took no more after " + std::to_string(flushed_) +
                        " bytes of the export: is the disk full?");
        }
    }
    flushed_ += used_;
    used_ = 0;
    if (written_ != nullptr) written_->store(flushed_, std::memory_order_relaxed);
}

void Output::finish() {
    flush();
    if (out_ == nullptr) return;
    bool is_taken = false;
    try {
        is_taken = out_->flush().good();
    } catch (const std::ios_base::failure&) {
        is_taken = false;
    }
    if (!is_taken) throw Error("the stream did not take the end of the export: is the disk full?");
}

}  // namespace quarry::terrain::impl
