#pragma once

#include <stdexcept>

#include "quarry/export.hpp"

namespace quarry {

// What Quarry throws when it is misused or when the system refuses something. The message says what was wrong
// and what is allowed. Options out of range are std::invalid_argument instead.
class QUARRY_API Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// What Task::get throws for a job that never ran: it was cancelled, its stop token was, or what it had to continue was.
class QUARRY_API Cancelled : public Error {
  public:
    using Error::Error;
};

}  // namespace quarry
