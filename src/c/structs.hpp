#pragma once

#include <cstring>
#include <stdexcept>
#include <string>

// Structs that begin with their size.
namespace quarry::c {

// What a caller of an older version does not know is as in `all`.
template <class Struct>
Struct known(const Struct& given, const char* name, Struct all = {}) {
    if (given.size < sizeof given.size || given.size > sizeof given) {
        throw std::invalid_argument(std::string("set the size of ") + name + " to sizeof of it");
    }
    std::memcpy(static_cast<void*>(&all), &given, given.size);
    return all;
}

template <class Struct>
void give(Struct all, Struct* to, const char* name) {
    all.size = known(*to, name).size;
    std::memcpy(static_cast<void*>(to), &all, all.size);
}

}  // namespace quarry::c
