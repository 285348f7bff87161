#include <thalweg/observe/batch_limits.hpp>
#include <thalweg/observe/text.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE {

std::string to_string(const batch_limits& limits) {
  std::string text;
  const auto add = [&text](std::string_view one) { text.append(text.empty() ? "" : " or ").append(one); };
  if (limits.items > 0)
    add(observe::count_text(static_cast<std::uint64_t>(limits.items)) +
        (limits.items == 1 ? " item" : " items"));
  if (limits.bytes > 0) add(observe::size_text(static_cast<std::uint64_t>(limits.bytes)));
  if (limits.interval.count() > 0) add(observe::duration_text(static_cast<double>(limits.interval.count())));
  return text;
}

}  // namespace THALWEG_NAMESPACE
