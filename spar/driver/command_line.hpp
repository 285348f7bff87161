/// A command line of g++ or clang++, cut into parts that say what each is for.
#pragma once

#include <string>
#include <vector>

namespace thalweg::spar::driver {

using words = std::vector<std::string>;

/// What stands between spaces.
words at_spaces(const std::string& text);

/// What a part of the command line is for.
enum class role {
  input,         ///< a file
  output,        ///< `-o file`
  action,        ///< `-c`, `-S`, `-E`, `-fsyntax-only`: how far to go
  dependencies,  ///< `-MD` and its like
  language,      ///< `-x c++`
  standard,      ///< `-std=c++20`
  reading,       ///< decides how sources are read: `-I`, `-D`, `-fno-exceptions`
  linking,       ///< only for the linker: `-l`, `-L`, `-Wl,`
  spar,          ///< an option of thalweg-spar
  question,      ///< what thalweg-spar answers instead of translating: `--explain`, `--suggest`
  other,         ///< everything else
};

/// An option with its argument, or a file.
struct part {
  role is = role::other;
  words text;           ///< one word, or two where the argument is a word of its own
  std::string value;    ///< the argument of an option; the path of a file
  bool source = false;  ///< a file of C++
};

/// How far a compiler goes.
enum class action { link, object, assembly, preprocess, check, nothing };

struct command_line {
  std::vector<part> parts;
  action until = action::link;
  bool links_library = true;  ///< false with -nostdlib, -r and their like
  bool keeps = false;         ///< -spar_file, -save-temps: translated sources are kept

  [[nodiscard]] std::string output() const;
  [[nodiscard]] bool has_inputs() const;
};

/// Reads the arguments of a compiler, without its own name and with response files replaced.
command_line parse(const words& arguments);

}  // namespace thalweg::spar::driver
