#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "quarry/terrain/fwd.hpp"

namespace quarry::godot {

// For tests: what goes wrong on workers on purpose.
class Faults {
  public:
    enum class Kind { none, field, worker, memory };

    // Throws quarry::Error for anything else than "field", "worker" and "memory".
    static Kind kind_of(const std::string& name);

    // The next ones of that kind throw, so many of them.
    void arm(Kind kind, std::int64_t count);
    // On any thread: throws if it is the turn of that kind.
    void strike(Kind kind);
    bool is_armed() const noexcept { return kind_ != Kind::none; }

  private:
    std::atomic<Kind> kind_{Kind::none};
    std::atomic<std::int64_t> left_{0};
};

// The field itself where nothing is to go wrong in it.
std::shared_ptr<const terrain::Field> with_faults(std::shared_ptr<const terrain::Field> field,
                                                  const std::shared_ptr<Faults>& faults);

}  // namespace quarry::godot
