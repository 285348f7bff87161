#pragma once

#include <functional>

namespace spb::detail {

/// The source objects whose threads may still run. At the end of the stream they are ended, before what they
/// read from goes. Any thread.
class running_sources {
 public:
  static void add(const void* source, std::function<void()> end);
  static void remove(const void* source);
  static void end_all();
};

}  // namespace spb::detail
