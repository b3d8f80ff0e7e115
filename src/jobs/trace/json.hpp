#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "jobs/trace/session.hpp"

namespace quarry::impl {

// A trace in Chrome's JSON format, as it is now.
void write_trace_json(const TraceSession& session, std::ostream& out);

// As a JSON string, without the quotes. What is no UTF-8 becomes U+FFFD.
std::string escaped(std::string_view text);

}  // namespace quarry::impl
