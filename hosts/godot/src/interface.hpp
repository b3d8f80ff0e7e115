#pragma once

#include <gdextension_interface.h>

// The functions of Godot's C interface that this extension uses, as X(type, member, name).
#define QUARRY_GODOT_FUNCTIONS(X)                                                                                \
    X(GDExtensionInterfacePrintErrorWithMessage, print_error, "print_error_with_message")                        \
    X(GDExtensionInterfacePrintWarningWithMessage, print_warning, "print_warning_with_message")                  \
    X(GDExtensionInterfaceVariantNewCopy, variant_new_copy, "variant_new_copy")                                  \
    X(GDExtensionInterfaceVariantNewNil, variant_new_nil, "variant_new_nil")                                     \
    X(GDExtensionInterfaceVariantDestroy, variant_destroy, "variant_destroy")                                    \
    X(GDExtensionInterfaceVariantCall, variant_call, "variant_call")                                             \
    X(GDExtensionInterfaceVariantGetType, variant_get_type, "variant_get_type")                                  \
    X(GDExtensionInterfaceVariantCanConvertStrict, variant_can_convert_strict, "variant_can_convert_strict")     \
    X(GDExtensionInterfaceGetVariantFromTypeConstructor, variant_from_type, "get_variant_from_type_constructor") \
    X(GDExtensionInterfaceGetVariantToTypeConstructor, variant_to_type, "get_variant_to_type_constructor")       \
    X(GDExtensionInterfaceVariantGetPtrConstructor, constructor_of, "variant_get_ptr_constructor")               \
    X(GDExtensionInterfaceVariantGetPtrDestructor, destructor_of, "variant_get_ptr_destructor")                  \
    X(GDExtensionInterfaceVariantGetPtrBuiltinMethod, builtin_method, "variant_get_ptr_builtin_method")          \
    X(GDExtensionInterfaceStringNewWithUtf8CharsAndLen, string_new, "string_new_with_utf8_chars_and_len")        \
    X(GDExtensionInterfaceStringToUtf8Chars, string_to_utf8, "string_to_utf8_chars")                             \
    X(GDExtensionInterfaceStringNameNewWithUtf8Chars, string_name_new, "string_name_new_with_utf8_chars")        \
    X(GDExtensionInterfacePackedByteArrayOperatorIndex, bytes_at, "packed_byte_array_operator_index")            \
    X(GDExtensionInterfacePackedVector3ArrayOperatorIndex, vectors_at, "packed_vector3_array_operator_index")    \
    X(GDExtensionInterfaceDictionaryOperatorIndex, dictionary_at, "dictionary_operator_index")                   \
    X(GDExtensionInterfaceObjectMethodBindPtrcall, method_ptrcall, "object_method_bind_ptrcall")                 \
    X(GDExtensionInterfaceObjectMethodBindCall, method_call, "object_method_bind_call")                          \
    X(GDExtensionInterfaceGlobalGetSingleton, singleton, "global_get_singleton")                                 \
    X(GDExtensionInterfaceObjectSetInstance, object_set_instance, "object_set_instance")                         \
    X(GDExtensionInterfaceObjectGetInstanceFromId, object_from_id, "object_get_instance_from_id")                \
    X(GDExtensionInterfaceObjectGetInstanceId, id_of_object, "object_get_instance_id")                           \
    X(GDExtensionInterfaceObjectCastTo, object_cast_to, "object_cast_to")                                        \
    X(GDExtensionInterfaceClassdbConstructObject2, construct_object, "classdb_construct_object2")                \
    X(GDExtensionInterfaceClassdbGetMethodBind, method_bind, "classdb_get_method_bind")                          \
    X(GDExtensionInterfaceClassdbGetClassTag, class_tag, "classdb_get_class_tag")                                \
    X(GDExtensionInterfaceClassdbRegisterExtensionClass5, register_class, "classdb_register_extension_class5")   \
    X(GDExtensionInterfaceClassdbRegisterExtensionClassMethod, register_method,                                  \
      "classdb_register_extension_class_method")                                                                 \
    X(GDExtensionInterfaceClassdbRegisterExtensionClassProperty, register_property,                              \
      "classdb_register_extension_class_property")                                                               \
    X(GDExtensionInterfaceClassdbRegisterExtensionClassPropertyGroup, register_group,                            \
      "classdb_register_extension_class_property_group")                                                         \
    X(GDExtensionInterfaceClassdbRegisterExtensionClassIntegerConstant, register_constant,                       \
      "classdb_register_extension_class_integer_constant")                                                       \
    X(GDExtensionInterfaceClassdbRegisterExtensionClassSignal, register_signal,                                  \
      "classdb_register_extension_class_signal")                                                                 \
    X(GDExtensionInterfaceClassdbUnregisterExtensionClass, unregister_class, "classdb_unregister_extension_class")

namespace quarry::godot {

struct Interface {
#define QUARRY_GODOT_MEMBER(type, member, name) type member = nullptr;
    QUARRY_GODOT_FUNCTIONS(QUARRY_GODOT_MEMBER)
#undef QUARRY_GODOT_MEMBER
    GDExtensionClassLibraryPtr library = nullptr;
};

// Filled once, when Godot loads the extension; read by all threads afterwards.
extern Interface api;

// False: this Godot lacks a function. Its name is in `missing`.
bool load_interface(GDExtensionInterfaceGetProcAddress find, GDExtensionClassLibraryPtr library, const char*& missing);

}  // namespace quarry::godot
