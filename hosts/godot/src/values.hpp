#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interface.hpp"

// Godot's own types, as they lie in memory in its single-precision 64-bit builds.
namespace quarry::godot {

// What most values are.
inline constexpr auto kBool = GDEXTENSION_VARIANT_TYPE_BOOL;
inline constexpr auto kInt = GDEXTENSION_VARIANT_TYPE_INT;
inline constexpr auto kFloat = GDEXTENSION_VARIANT_TYPE_FLOAT;

// A StringName. Two of equal text have equal bits.
class Name {
  public:
    explicit Name(const char* text) { api.string_name_new(&data_, text); }
    explicit Name(std::string_view text) : Name(std::string(text).c_str()) {}
    Name(const Name&) = delete;
    Name& operator=(const Name&) = delete;
    ~Name();

    void* ptr() noexcept { return &data_; }
    const void* ptr() const noexcept { return &data_; }

  private:
    void* data_ = nullptr;
};

// A String.
class Text {
  public:
    Text() : Text(std::string_view()) {}
    explicit Text(std::string_view text) {
        api.string_new(&data_, text.data(), static_cast<GDExtensionInt>(text.size()));
    }
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;
    ~Text();

    void* ptr() noexcept { return &data_; }
    const void* ptr() const noexcept { return &data_; }
    std::string utf8() const { return utf8_of(&data_); }
    // Of a String anywhere.
    static std::string utf8_of(const void* string);

  private:
    void* data_ = nullptr;
};

struct Vec3 {
    float x = 0;
    float y = 0;
    float z = 0;
    friend bool operator==(const Vec3&, const Vec3&) = default;
};

struct Vec3i {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;
};

struct Color {
    float r = 0;
    float g = 0;
    float b = 0;
    float a = 1;
};

struct Aabb {
    Vec3 position;
    Vec3 size;
};

// Rows of the matrix, then the origin.
struct Transform {
    std::array<Vec3, 3> rows{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
    Vec3 origin;
    friend bool operator==(const Transform&, const Transform&) = default;
};

struct Rid {
    std::uint64_t id = 0;
};

class Dictionary;
class Bytes;
class Vectors;

// A Variant: any value of Godot's.
class Variant {
  public:
    Variant() noexcept { api.variant_new_nil(&data_); }
    Variant(const Variant& other) { api.variant_new_copy(&data_, &other.data_); }
    Variant(Variant&& other) noexcept : Variant() { std::swap(data_, other.data_); }
    Variant& operator=(Variant other) noexcept {
        std::swap(data_, other.data_);
        return *this;
    }
    ~Variant() { api.variant_destroy(&data_); }

    explicit Variant(bool value);
    explicit Variant(std::int64_t value);
    explicit Variant(double value);
    explicit Variant(std::string_view text);
    explicit Variant(const char* text) : Variant(std::string_view(text)) {}
    explicit Variant(const Vec3& value);
    explicit Variant(const Vec3i& value);
    explicit Variant(const Color& value);
    explicit Variant(const Aabb& value);
    explicit Variant(Rid value);
    explicit Variant(GDExtensionObjectPtr object);
    explicit Variant(const Dictionary& value);
    explicit Variant(const Bytes& value);
    explicit Variant(const Vectors& value);
    explicit Variant(const Transform& value);
    static Variant empty_array();
    static Variant callable(GDExtensionObjectPtr object, const char* method);
    static Variant signal(GDExtensionObjectPtr object, const char* name);
    // Of a value of that type, and into one, as ptrcalls hand them over.
    static Variant from_type(GDExtensionVariantType type, const void* value) { return {type, value}; }
    void assign_to(GDExtensionVariantType type, void* value) const;
    // Converted to a type of up to 8 bytes.
    Variant as(GDExtensionVariantType type) const;
    // Copies what Godot handed over.
    static Variant copy_of(GDExtensionConstVariantPtr variant);

    GDExtensionVariantType type() const { return api.variant_get_type(&data_); }
    bool is_nil() const { return type() == GDEXTENSION_VARIANT_TYPE_NIL; }
    // These convert as Godot does; nothing else than a number gives 0, nothing else than an object null.
    std::int64_t to_int() const;
    double to_double() const;
    bool to_bool() const;
    Rid to_rid() const;
    std::string to_text() const;
    GDExtensionObjectPtr to_object() const;
    std::vector<std::byte> to_bytes() const;  // of a PackedByteArray

    // Calls a method of the object or value in it. Nil, and a line on the console, where that fails.
    template <class... Arguments>
    Variant call(const char* method, const Arguments&... arguments) const {
        const std::array<Variant, sizeof...(Arguments)> values{Variant(arguments)...};
        std::array<GDExtensionConstVariantPtr, sizeof...(Arguments) + 1> pointers{};
        for (std::size_t i = 0; i < values.size(); ++i) pointers[i] = values[i].ptr();
        return call_with(method, pointers.data(), values.size());
    }

    GDExtensionVariantPtr ptr() noexcept { return &data_; }
    GDExtensionConstVariantPtr ptr() const noexcept { return &data_; }

  private:
    Variant(GDExtensionVariantType type, const void* value);
    static Variant member_of(GDExtensionVariantType type, GDExtensionObjectPtr object, const char* name);
    void convert(GDExtensionVariantType type, void* out) const;
    Variant call_with(const char* method, const GDExtensionConstVariantPtr* arguments, std::size_t count) const;

    struct alignas(8) Data {
        std::array<std::byte, 24> bytes;
    };
    Data data_;
};

// A PackedByteArray. May be made, written and destroyed on any thread.
class Bytes {
  public:
    explicit Bytes(std::size_t size);
    explicit Bytes(std::span<const std::byte> content);
    Bytes(Bytes&& other) noexcept : data_(std::exchange(other.data_, {})) {}
    Bytes& operator=(Bytes&&) = delete;
    ~Bytes();

    std::uint8_t* data();
    const void* ptr() const noexcept { return &data_; }

  private:
    std::array<void*, 2> data_{};
};

// A PackedVector3Array. May be made, written and destroyed on any thread.
class Vectors {
  public:
    explicit Vectors(std::size_t size);
    Vectors(const Vectors&) = delete;
    Vectors& operator=(const Vectors&) = delete;
    ~Vectors();

    Vec3* data();  // of one that is not empty
    const void* ptr() const noexcept { return &data_; }

  private:
    std::array<void*, 2> data_{};
};

// A Dictionary. May be made, filled and destroyed on any thread, by one at a time.
class Dictionary {
  public:
    Dictionary();
    Dictionary(const Dictionary&) = delete;
    Dictionary& operator=(const Dictionary&) = delete;
    ~Dictionary();

    template <class Value>
    void set(std::string_view key, const Value& value) {
        set_variant(key, Variant(value));
    }
    void set_variant(std::string_view key, Variant value);
    const void* ptr() const noexcept { return &data_; }

  private:
    void* data_ = nullptr;
};

}  // namespace quarry::godot
