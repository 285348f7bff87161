/// What becomes of a command line: sources with attributes are translated, everything goes to the compiler.
#pragma once

#include <filesystem>
#include <optional>

#include "command_line.hpp"
#include "places.hpp"
#include "process.hpp"

namespace thalweg::spar::driver {

/// How this program was called.
struct call {
  words compiler;         ///< the compiler behind it
  words arguments;        ///< as they were given
  bool launched = false;  ///< by a build system that links what it needs, and keeps what is in its folder
};

class driving {
 public:
  explicit driving(call called);

  /// Does it all, and returns the exit code.
  int go();

 private:
  struct translation {
    std::size_t at = 0;  ///< which part of the command line
    std::filesystem::path translated;
    std::filesystem::path object;
  };

  [[nodiscard]] bool links_at_once() const;
  [[nodiscard]] std::filesystem::path folder();
  [[nodiscard]] std::filesystem::path place_of(const part& source);
  [[nodiscard]] std::optional<translation> translate(std::size_t at);
  [[nodiscard]] words tool_command(std::size_t at, const words& options) const;
  [[nodiscard]] int compile(translation& one);
  [[nodiscard]] words compile_command(const translation& one, const std::filesystem::path& output) const;
  [[nodiscard]] std::filesystem::path output_of(const translation& one);
  [[nodiscard]] words dependency_flags(const translation& one, const std::filesystem::path& output,
                                       std::filesystem::path& file) const;
  [[nodiscard]] words rest_command(const std::vector<translation>& done) const;
  [[nodiscard]] words unchanged_command() const;
  void add_libraries(words& command) const;
  [[nodiscard]] int run(words command);
  void note(int code);

  call called_;
  words arguments_;  // with response files replaced
  command_line line_;
  places places_;
  std::optional<temporary_folder> folder_;
  int written_ = 0;
  int code_ = 0;
};

}  // namespace thalweg::spar::driver
