#include "apps/support/progress_bar.hpp"

#include <algorithm>
#include <utility>

#include "apps/support/terminal_line.hpp"

namespace apps {

progress_bar::progress_bar(std::string title) : title_(std::move(title)) {}

progress_bar::~progress_bar() {
  wipe_line();
}

void progress_bar::show(std::uint64_t done, std::uint64_t all) {
  const auto now = clock::now();
  if (all == 0 || (now < next_ && done < all)) return;
  next_ = now + std::chrono::milliseconds(100);
  constexpr std::size_t width = 30;
  const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
  const double took = std::chrono::duration<double>(now - start_).count();
  std::string bar(static_cast<std::size_t>(part * width), '#');
  bar.resize(width, '.');
  auto line = title_ + " [" + bar + "] " + std::to_string(static_cast<int>(100 * part)) + " %";
  if (part > 0 && took > 1) line += ", " + std::to_string(static_cast<int>(took / part - took)) + " s left";
  show_line(line);
}

}  // namespace apps
