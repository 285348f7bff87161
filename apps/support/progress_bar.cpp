#include "apps/support/progress_bar.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <unistd.h>

namespace apps {

progress_bar::progress_bar(std::string title)
    : title_(std::move(title)), on_terminal_(::isatty(STDERR_FILENO) == 1) {}

void progress_bar::show(std::uint64_t done, std::uint64_t all) {
  const auto now = clock::now();
  if (!on_terminal_ || all == 0 || (now < next_ && done < all)) return;
  next_ = now + std::chrono::milliseconds(100);
  constexpr std::size_t width = 30;
  const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
  const double took = std::chrono::duration<double>(now - start_).count();
  std::string bar(static_cast<std::size_t>(part * width), '#');
  bar.resize(width, '.');
  std::fprintf(stderr, "\r\033[K%s [%s] %3.0f %%", title_.c_str(), bar.c_str(), 100 * part);
  if (part > 0 && took > 1) std::fprintf(stderr, ", %.0f s left", took / part - took);
  std::fflush(stderr);
  shown_ = true;
}

void progress_bar::clear() {
  if (std::exchange(shown_, false)) std::fputs("\r\033[K", stderr);
}

}  // namespace apps
