#include "apps/support/terminal_line.hpp"

#include <atomic>
#include <cstdio>

#include <unistd.h>

namespace apps {
namespace {

std::atomic<bool> shown{false};

bool is_for_us() {
  if (::isatty(STDERR_FILENO) != 1) return false;
  const auto in_foreground = ::tcgetpgrp(STDERR_FILENO);  // -1: the terminal is not the one of this session
  return in_foreground == -1 || in_foreground == ::getpgrp();
}

}  // namespace

void show_line(const std::string& text) {
  if (!is_for_us()) return;
  shown = true;
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
}

void wipe_line() {
  if (shown.exchange(false)) std::fputs("\r\033[K", stderr);
}

}  // namespace apps
