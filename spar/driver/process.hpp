/// Other programs, and a folder for what they leave.
#pragma once

#include <filesystem>

#include "command_line.hpp"

namespace thalweg::spar::driver {

/// Becomes another program. Returns only if that cannot be, with the exit code for it, and has said why.
int become(const words& command);

/// Runs a program to its end, and returns its exit code. If it is ended by a signal, throws `ended_by`.
int run(const words& command);

/// A signal that ended a program, or is to end this one: main() ends by it too, after all is cleaned up.
struct ended_by {
  int signal;
};

/// From here on the signals that end a program are kept until `run` returns, which throws them.
void keep_signals();

/// A folder of its own, which goes with the object.
class temporary_folder {
 public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace thalweg::spar::driver
