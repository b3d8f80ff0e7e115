#include "values.hpp"

#include <cstring>

namespace quarry::godot {
namespace {

constexpr std::size_t kTypes = GDEXTENSION_VARIANT_TYPE_VARIANT_MAX;

// Godot's function tables, asked for once.
struct TypeFunctions {
    std::array<GDExtensionVariantFromTypeConstructorFunc, kTypes> to_variant{};
    std::array<GDExtensionTypeFromVariantConstructorFunc, kTypes> from_variant{};
    std::array<GDExtensionPtrDestructor, kTypes> destroy{};
    GDExtensionPtrConstructor new_bytes = nullptr;
    GDExtensionPtrBuiltInMethod resize_bytes = nullptr;
    GDExtensionPtrConstructor new_vectors = nullptr;
    GDExtensionPtrBuiltInMethod resize_vectors = nullptr;
    GDExtensionPtrConstructor new_dictionary = nullptr;

    TypeFunctions() {
        for (std::size_t i = 1; i < kTypes; ++i) {
            const auto type = static_cast<GDExtensionVariantType>(i);
            to_variant[i] = api.variant_from_type(type);
            from_variant[i] = api.variant_to_type(type);
            destroy[i] = api.destructor_of(type);
        }
        new_bytes = api.constructor_of(GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY, 0);
        new_dictionary = api.constructor_of(GDEXTENSION_VARIANT_TYPE_DICTIONARY, 0);
        void* resize = nullptr;
        api.string_name_new(&resize, "resize");
        resize_bytes = api.builtin_method(GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY, &resize, 848867239);
        new_vectors = api.constructor_of(GDEXTENSION_VARIANT_TYPE_PACKED_VECTOR3_ARRAY, 0);
        resize_vectors = api.builtin_method(GDEXTENSION_VARIANT_TYPE_PACKED_VECTOR3_ARRAY, &resize, 848867239);
        destroy[GDEXTENSION_VARIANT_TYPE_STRING_NAME](&resize);
    }
};

const TypeFunctions& functions() {
    static const TypeFunctions all;
    return all;
}

}  // namespace

Name::~Name() {
    functions().destroy[GDEXTENSION_VARIANT_TYPE_STRING_NAME](&data_);
}

Text::~Text() {
    functions().destroy[GDEXTENSION_VARIANT_TYPE_STRING](&data_);
}

std::string Text::utf8_of(const void* string) {
    const GDExtensionInt size = api.string_to_utf8(string, nullptr, 0);
    std::string text(static_cast<std::size_t>(size), '\0');
    api.string_to_utf8(string, text.data(), size);
    return text;
}

Variant::Variant(GDExtensionVariantType type, const void* value) {
    functions().to_variant[type](&data_, const_cast<void*>(value));
}

Variant::Variant(bool value) {
    GDExtensionBool byte = value ? 1 : 0;
    functions().to_variant[GDEXTENSION_VARIANT_TYPE_BOOL](&data_, &byte);
}
Variant::Variant(std::int64_t value) : Variant(GDEXTENSION_VARIANT_TYPE_INT, &value) {}
Variant::Variant(double value) : Variant(GDEXTENSION_VARIANT_TYPE_FLOAT, &value) {}
Variant::Variant(std::string_view text) : Variant(GDEXTENSION_VARIANT_TYPE_STRING, Text(text).ptr()) {}
Variant::Variant(const Vec3& value) : Variant(GDEXTENSION_VARIANT_TYPE_VECTOR3, &value) {}
Variant::Variant(const Vec3i& value) : Variant(GDEXTENSION_VARIANT_TYPE_VECTOR3I, &value) {}
Variant::Variant(const Color& value) : Variant(GDEXTENSION_VARIANT_TYPE_COLOR, &value) {}
Variant::Variant(const Aabb& value) : Variant(GDEXTENSION_VARIANT_TYPE_AABB, &value) {}
Variant::Variant(Rid value) : Variant(GDEXTENSION_VARIANT_TYPE_RID, &value) {}
Variant::Variant(GDExtensionObjectPtr object) : Variant(GDEXTENSION_VARIANT_TYPE_OBJECT, &object) {}
Variant::Variant(const Dictionary& value) : Variant(GDEXTENSION_VARIANT_TYPE_DICTIONARY, value.ptr()) {}
Variant::Variant(const Bytes& value) : Variant(GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY, value.ptr()) {}

Variant::Variant(const Vectors& value) : Variant(GDEXTENSION_VARIANT_TYPE_PACKED_VECTOR3_ARRAY, value.ptr()) {}
Variant::Variant(const Transform& value) : Variant(GDEXTENSION_VARIANT_TYPE_TRANSFORM3D, &value) {}

Variant Variant::empty_array() {
    void* array = nullptr;
    api.constructor_of(GDEXTENSION_VARIANT_TYPE_ARRAY, 0)(&array, nullptr);
    Variant variant(GDEXTENSION_VARIANT_TYPE_ARRAY, &array);
    functions().destroy[GDEXTENSION_VARIANT_TYPE_ARRAY](&array);
    return variant;
}

// Both are made of an object and a name, and have 16 bytes.
Variant Variant::member_of(GDExtensionVariantType type, GDExtensionObjectPtr object, const char* name) {
    constexpr std::int32_t kFromObjectAndName = 2;
    const Name member(name);
    const std::array<GDExtensionConstTypePtr, 2> arguments{&object, member.ptr()};
    std::array<std::uint64_t, 2> value{};
    api.constructor_of(type, kFromObjectAndName)(&value, arguments.data());
    Variant variant(type, &value);
    functions().destroy[type](&value);
    return variant;
}

Variant Variant::signal(GDExtensionObjectPtr object, const char* name) {
    return member_of(GDEXTENSION_VARIANT_TYPE_SIGNAL, object, name);
}

Variant Variant::callable(GDExtensionObjectPtr object, const char* method) {
    return member_of(GDEXTENSION_VARIANT_TYPE_CALLABLE, object, method);
}

void Variant::assign_to(GDExtensionVariantType type, void* value) const {
    if (const auto destroy = functions().destroy[type]) destroy(value);
    convert(type, value);
}

Variant Variant::as(GDExtensionVariantType type) const {
    void* value = nullptr;
    convert(type, &value);
    Variant converted(type, &value);
    if (const auto destroy = functions().destroy[type]) destroy(&value);
    return converted;
}

Variant Variant::copy_of(GDExtensionConstVariantPtr variant) {
    Variant copy;
    api.variant_new_copy(copy.ptr(), variant);
    return copy;
}

void Variant::convert(GDExtensionVariantType type, void* out) const {
    functions().from_variant[type](out, const_cast<Data*>(&data_));
}

std::int64_t Variant::to_int() const {
    std::int64_t value = 0;
    convert(GDEXTENSION_VARIANT_TYPE_INT, &value);
    return value;
}

double Variant::to_double() const {
    double value = 0;
    convert(GDEXTENSION_VARIANT_TYPE_FLOAT, &value);
    return value;
}

bool Variant::to_bool() const {
    GDExtensionBool value = 0;
    convert(GDEXTENSION_VARIANT_TYPE_BOOL, &value);
    return value != 0;
}

Rid Variant::to_rid() const {
    Rid value;
    if (type() == GDEXTENSION_VARIANT_TYPE_RID) convert(GDEXTENSION_VARIANT_TYPE_RID, &value);
    return value;
}

std::string Variant::to_text() const {
    void* string = nullptr;
    convert(GDEXTENSION_VARIANT_TYPE_STRING, &string);
    std::string text = Text::utf8_of(&string);
    functions().destroy[GDEXTENSION_VARIANT_TYPE_STRING](&string);
    return text;
}

GDExtensionObjectPtr Variant::to_object() const {
    GDExtensionObjectPtr object = nullptr;
    if (type() == GDEXTENSION_VARIANT_TYPE_OBJECT) convert(GDEXTENSION_VARIANT_TYPE_OBJECT, &object);
    return object;
}

std::vector<std::byte> Variant::to_bytes() const {
    if (type() != GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY) return {};
    Bytes bytes(0);
    assign_to(GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY, const_cast<void*>(bytes.ptr()));
    const auto size = static_cast<std::size_t>(call("size").to_int());
    if (size == 0) return {};
    const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
    return {first, first + size};
}

Variant Variant::call_with(const char* method, const GDExtensionConstVariantPtr* arguments, std::size_t count) const {
    Variant result;
    GDExtensionCallError error{};
    Variant self(*this);
    api.variant_call(self.ptr(), Name(method).ptr(), arguments, static_cast<GDExtensionInt>(count), result.ptr(),
                     &error);
    if (error.error != GDEXTENSION_CALL_OK) {
        const std::string message =
            std::string(method) + " cannot be called: Godot's error " + std::to_string(static_cast<int>(error.error));
        api.print_error("Quarry", message.c_str(), method, __FILE__, __LINE__, 0);
    }
    return result;
}

Bytes::Bytes(std::size_t size) {
    functions().new_bytes(&data_, nullptr);
    auto wanted = static_cast<std::int64_t>(size);
    const GDExtensionConstTypePtr argument = &wanted;
    std::int64_t error = 0;
    functions().resize_bytes(&data_, &argument, &error, 1);
}

Bytes::Bytes(std::span<const std::byte> content) : Bytes(content.size()) {
    if (!content.empty()) std::memcpy(data(), content.data(), content.size());
}

Bytes::~Bytes() {
    functions().destroy[GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY](&data_);
}

std::uint8_t* Bytes::data() {
    return api.bytes_at(&data_, 0);
}

Vectors::Vectors(std::size_t size) {
    functions().new_vectors(&data_, nullptr);
    auto wanted = static_cast<std::int64_t>(size);
    const GDExtensionConstTypePtr argument = &wanted;
    std::int64_t error = 0;
    functions().resize_vectors(&data_, &argument, &error, 1);
}

Vectors::~Vectors() {
    functions().destroy[GDEXTENSION_VARIANT_TYPE_PACKED_VECTOR3_ARRAY](&data_);
}

Vec3* Vectors::data() {
    return static_cast<Vec3*>(api.vectors_at(&data_, 0));
}

Dictionary::Dictionary() {
    functions().new_dictionary(&data_, nullptr);
}

Dictionary::~Dictionary() {
    functions().destroy[GDEXTENSION_VARIANT_TYPE_DICTIONARY](&data_);
}

void Dictionary::set_variant(std::string_view key, Variant value) {
    const Variant name(key);
    *static_cast<Variant*>(api.dictionary_at(&data_, name.ptr())) = std::move(value);
}

}  // namespace quarry::godot
