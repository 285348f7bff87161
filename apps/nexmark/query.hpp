#pragma once

#include <string>
#include <vector>

#include "apps/nexmark/event.hpp"

namespace apps::nexmark {

/// A query as plain code: it is told each event, in the order of the stream, and appends the lines of its
/// results. Thread-confined.
class query {
 public:
  query() = default;
  query(const query&) = delete;
  query& operator=(const query&) = delete;
  virtual ~query() = default;

  virtual void take(const event& of, std::vector<std::string>& results) = 0;
  /// No more events come.
  virtual void end(std::vector<std::string>& results) = 0;
};

}  // namespace apps::nexmark
