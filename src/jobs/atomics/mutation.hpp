#pragma once

namespace quarry::impl {

// The places where a protocol can be broken on purpose. Each one is a memory order that matters or a step that must
// not be left out; the model checker switches one on at a time and must find the failure it causes.
enum class Mutation {
    none,
};

}  // namespace quarry::impl
