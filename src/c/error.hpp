#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "quarry/c.h"

// How exceptions end at the border to C.
namespace quarry::c {

std::string& last_error();

inline quarry_code failed(quarry_code code, const char* text) noexcept {
    try {
        last_error() = text;
    } catch (...) {
        return QUARRY_NO_MEMORY;
    }
    return code;
}

// Runs what answers a code.
template <class Body>
quarry_code guarded(Body body) noexcept {
    try {
        return body();
    } catch (const std::invalid_argument& error) {
        return failed(QUARRY_INVALID, error.what());
    } catch (const std::bad_alloc&) {
        return failed(QUARRY_NO_MEMORY, "out of memory");
    } catch (const std::exception& error) {
        return failed(QUARRY_FAILED, error.what());
    } catch (...) {
        return failed(QUARRY_FAILED, "an unknown exception");
    }
}

// Runs what answers a new object; nullptr: it threw.
template <class Make>
auto made(Make make) noexcept -> decltype(make()) {
    decltype(make()) object = nullptr;
    guarded([&] {
        object = make();
        return QUARRY_OK;
    });
    return object;
}

inline quarry_code require(bool holds, const char* what) noexcept {
    return holds ? QUARRY_OK : failed(QUARRY_INVALID, what);
}

template <class... Pointers>
void need_all(Pointers... pointers) {
    const bool missing = (... || (pointers == nullptr));
    if (missing) throw std::invalid_argument("a pointer that must not be NULL is NULL");
}

}  // namespace quarry::c
