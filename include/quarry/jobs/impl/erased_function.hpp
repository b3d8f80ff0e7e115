#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace quarry::impl {

// A function without its type, made once and called often: the body, count or condition of a node or a system. The
// closure may be move-only and lives on the heap. What it returns is a number; void counts as 0.
template <class... Arguments>
class ErasedFunction {
  public:
    using Invoke = std::uint64_t (*)(void* object, Arguments... arguments);

    ErasedFunction() noexcept = default;
    ErasedFunction(ErasedFunction&& other) noexcept
        : object_(std::exchange(other.object_, nullptr)),
          invoke_(std::exchange(other.invoke_, nullptr)),
          destroy_(other.destroy_) {}
    ErasedFunction& operator=(ErasedFunction&& other) noexcept {
        std::swap(object_, other.object_);
        std::swap(invoke_, other.invoke_);
        std::swap(destroy_, other.destroy_);
        return *this;
    }
    ~ErasedFunction() {
        if (object_ != nullptr) destroy_(object_);
    }

    // call(closure, arguments...): a closure of its own without captures.
    template <class Closure, class Call>
    static ErasedFunction make(Closure&& closure, Call) {
        using F = std::decay_t<Closure>;
        ErasedFunction function;
        function.object_ = std::make_unique<F>(std::forward<Closure>(closure)).release();
        function.destroy_ = [](void* object) { std::default_delete<F>()(static_cast<F*>(object)); };
        function.invoke_ = [](void* object, Arguments... arguments) -> std::uint64_t {
            F& f = *static_cast<F*>(object);
            if constexpr (std::is_void_v<std::invoke_result_t<Call, F&, Arguments...>>) {
                Call{}(f, std::forward<Arguments>(arguments)...);
                return 0;
            } else {
                return static_cast<std::uint64_t>(Call{}(f, std::forward<Arguments>(arguments)...));
            }
        };
        return function;
    }

    explicit operator bool() const noexcept { return invoke_ != nullptr; }
    std::uint64_t operator()(Arguments... arguments) const {
        return invoke_(object_, std::forward<Arguments>(arguments)...);
    }
    void* object() const noexcept { return object_; }
    Invoke invoke() const noexcept { return invoke_; }

  private:
    void* object_ = nullptr;
    Invoke invoke_ = nullptr;
    void (*destroy_)(void*) = nullptr;
};

// Of a graph's node: first and last of a block, where it has any.
using GraphFunction = ErasedFunction<std::uint64_t, std::uint64_t>;

}  // namespace quarry::impl
