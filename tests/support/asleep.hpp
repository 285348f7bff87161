#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

/// Whether a thread of this process sleeps, by what the system says of it. One that waits actively never
/// does, however busy the machine is.
inline bool is_asleep(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto name_end = text.rfind(')');  // it may be in the name, too
  return name_end != std::string::npos && name_end + 2 < text.size() && text[name_end + 2] == 'S';
}

/// Whether all threads of this process but the calling one sleep.
inline bool all_others_asleep() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const auto thread = static_cast<pid_t>(std::stol(entry.path().filename().string()));
    if (thread != gettid() && !is_asleep(thread)) return false;
  }
  return true;
}
