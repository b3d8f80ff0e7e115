#include "c/error.hpp"

#include "quarry/version.hpp"

namespace quarry::c {

std::string& last_error() {
    static thread_local std::string text;
    return text;
}

}  // namespace quarry::c

int quarry_c_version(void) {
    return QUARRY_C_VERSION;
}
const char* quarry_version(void) {
    return quarry::kVersion.data();
}
const char* quarry_last_error(void) {
    return quarry::c::last_error().c_str();
}
