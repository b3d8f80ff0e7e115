#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "quarry/jobs/error.hpp"

namespace quarry::process {

// Puts values behind each other into a payload, as this machine holds them: host and workers are the same machine.
class ByteWriter {
  public:
    // Adds the bytes of one value of a trivially copyable type.
    template <class T>
    ByteWriter& put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        return put_all(std::span(&value, 1));
    }
    // Adds the bytes of all of them, without their number.
    template <class T, std::size_t N>
    ByteWriter& put_all(std::span<T, N> values) {
        const auto bytes = std::as_bytes(values);
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
        return *this;
    }
    // All that was put so far; valid until the next put.
    std::span<const std::byte> bytes() const { return bytes_; }

  private:
    std::vector<std::byte> bytes_;
};

// Takes values that a ByteWriter put out of a payload, in the same order. Throws quarry::Error where it ends too early.
class ByteReader {
  public:
    // Reads these bytes, which must outlive the reader.
    explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    // The next value, of a trivially copyable type.
    template <class T>
    T get() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value;
        std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
        return value;
    }
    // The next `count` values.
    template <class T>
    std::vector<T> get_all(std::size_t count) {
        static_assert(std::is_trivially_copyable_v<T>);
        if (count > bytes_.size() / sizeof(T)) too_short(count * sizeof(T));
        std::vector<T> values(count);
        const auto from = take(count * sizeof(T));
        if (count != 0) std::memcpy(values.data(), from.data(), from.size());
        return values;
    }
    // How many bytes have not been taken.
    std::size_t left() const { return bytes_.size(); }
    // Throws quarry::Error unless all has been taken.
    void finish() const {
        if (!bytes_.empty()) throw Error("the payload is " + std::to_string(bytes_.size()) + " bytes too long");
    }

  private:
    std::span<const std::byte> take(std::size_t count) {
        if (count > bytes_.size()) too_short(count);
        const auto taken = bytes_.first(count);
        bytes_ = bytes_.subspan(count);
        return taken;
    }
    [[noreturn]] void too_short(std::size_t wanted) const {
        throw Error("the payload is too short: " + std::to_string(wanted) + " bytes wanted, " +
                    std::to_string(bytes_.size()) + " left");
    }

    std::span<const std::byte> bytes_;
};

}  // namespace quarry::process
