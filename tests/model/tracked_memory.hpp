#pragma once

#include <cstddef>

namespace model {

// While model code runs, memory that it frees is kept until the execution ends: a late access then finds the
// dead object, and not a new one at the same address. Code of the checker itself runs outside.
class ModelCode {
  public:
    explicit ModelCode(bool inside) : before_(exchange(inside)) {}
    ~ModelCode() { exchange(before_); }
    ModelCode(const ModelCode&) = delete;
    ModelCode& operator=(const ModelCode&) = delete;

  private:
    static bool exchange(bool inside);
    bool before_;
};

// How many allocations of this execution are not freed yet.
std::size_t live_model_allocations();

// Ends an execution. What it did not free goes too, without destructors: a failed execution is not unwound.
void release_model_memory();

}  // namespace model
