#include "command_line.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string_view>

namespace thalweg::spar::driver {

namespace {

// Options whose argument is a word of its own, if it does not follow in the same one.
constexpr std::array reading_joined{"-I",      "-D",         "-U",       "-isystem",
                                    "-iquote", "-idirafter", "-include", "-imacros"};
constexpr std::array reading_apart{"-iprefix",  "-iwithprefix", "-iwithprefixbefore",
                                   "-isysroot", "-target",      "-arch"};
constexpr std::array linking_joined{"-L", "-l", "-T", "-u"};
constexpr std::array linking_apart{"-Xlinker", "-z", "-e"};
constexpr std::array other_apart{"-Xassembler", "-Xpreprocessor", "-Xclang",   "-A",       "-G",
                                 "--param",     "-aux-info",      "-dumpbase", "-dumpdir", "-dumpbase-ext",
                                 "-wrapper",    "-mllvm",         "-imultilib"};
constexpr std::array linking_flags{
    "-shared", "-static",   "-static-libgcc", "-static-libstdc++", "-rdynamic",
    "-s",      "-pie",      "-no-pie",        "-static-pie",       "-nostartfiles",
    "-r",      "-nostdlib", "-nodefaultlibs", "-nostdlib++"};
constexpr std::array without_library{"-r", "-nostdlib", "-nodefaultlibs"};
constexpr std::array only_told{"--version",    "--help",           "-###",      "-dumpversion",
                               "-dumpmachine", "-dumpfullversion", "-dumpspecs"};
constexpr std::array source_endings{".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C"};

// What Clang understands as GCC does, and what changes how a source is read.
constexpr std::array reading_flags{"-ansi",        "-nostdinc",       "-nostdinc++",   "-pthread",
                                   "-fopenmp",     "-fno-exceptions", "-fexceptions",  "-fno-rtti",
                                   "-frtti",       "-funsigned-char", "-fsigned-char", "-fchar8_t",
                                   "-fno-char8_t", "-fshort-enums",   "-fopenmp-simd", "-ffreestanding"};
constexpr std::array reading_begins{"-stdlib=", "--sysroot=", "-march=", "-mcpu=", "-m32",   "-m64",
                                    "-mavx",    "-msse",      "-mfma",   "-mbmi",  "-mf16c", "--target="};

constexpr std::array spar_apart{"--policy"};
constexpr std::array spar_begins{"-spar_", "--policy="};
constexpr std::array questions{"--explain", "--explain=dot", "--suggest"};

template <class List> bool holds(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

template <class List> bool begins_with_one(const List& list, std::string_view word) {
  return std::ranges::any_of(list, [&](std::string_view one) { return word.starts_with(one); });
}

bool is_number(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
}

class parser {
 public:
  explicit parser(const words& arguments) : arguments_(arguments) {}

  command_line all() {
    while (at_ < arguments_.size()) next();
    return std::move(result_);
  }

 private:
  void next() {
    const std::string& word = arguments_[at_];
    if (only_files_ || word == "-" || !word.starts_with("-")) return file(word);
    if (word == "--") {
      only_files_ = true;
      return add(role::other);
    }
    if (of_spar(word) || of_dependencies(word) || of_action(word) || of_linking(word)) return;
    if (word == "-o" || (word.starts_with("-o") && word != "-objc")) return joined(role::output, "-o");
    if (word.starts_with("-x")) {
      joined(role::language, "-x");
      language_ = result_.parts.back().value;
      return;
    }
    if (word.starts_with("-std=") || word.starts_with("--std=")) {
      return add(role::standard, word.substr(word.find('=') + 1));
    }
    if (holds(reading_flags, word) || begins_with_one(reading_begins, word)) return add(role::reading);
    if (holds(reading_apart, word) || word == "--sysroot") return two(role::reading);
    for (const char* option : reading_joined) {
      if (word == option || (word.starts_with(option) && (std::string_view(option).size() == 2))) {
        return joined(role::reading, option);
      }
    }
    if (holds(other_apart, word)) return two(role::other);
    if (word.starts_with("-save-temps") || word == "--save-temps") result_.keeps = true;
    if (holds(only_told, word) || word.starts_with("-print-") || word.starts_with("--print-")) {
      result_.until = action::nothing;
    }
    add(role::other);
  }

  void file(const std::string& path) {
    add(role::input, path);
    const auto dot = path.rfind('.');
    const std::string ending = dot == std::string::npos ? "" : path.substr(dot);
    const bool known = language_.empty() || language_ == "none";
    result_.parts.back().source = path != "-" && (known ? holds(source_endings, ending) : language_ == "c++");
  }

  bool of_spar(const std::string& word) {
    if (holds(spar_apart, word)) {
      two(role::spar);
    } else if (holds(questions, word)) {
      add(role::question);
    } else if (begins_with_one(spar_begins, word)) {
      if (word == "-spar_file") result_.keeps = true;
      const bool counted =
          word == "-spar_ondemand" && at_ + 1 < arguments_.size() && is_number(arguments_[at_ + 1]);
      counted ? two(role::spar) : add(role::spar);
    } else {
      return false;
    }
    return true;
  }

  bool of_dependencies(const std::string& word) {
    if (word == "-MF" || word == "-MT" || word == "-MQ") {
      two(role::dependencies);
    } else if (word.starts_with("-MF") || word.starts_with("-MT") || word.starts_with("-MQ")) {
      add(role::dependencies, word.substr(3));
    } else if (word.starts_with("-Wp,-MD,") || word.starts_with("-Wp,-MMD,")) {
      add(role::dependencies, word.substr(word.rfind(',') + 1));
    } else if (word == "-MD" || word == "-MMD" || word == "-MP" || word == "-MG") {
      add(role::dependencies);
    } else {
      return false;
    }
    return true;
  }

  bool of_action(const std::string& word) {
    const auto go = [&](action until) {
      // The first step that is to be the last counts.
      if (result_.until == action::link || until == action::preprocess) result_.until = until;
      add(role::action);
      return true;
    };
    if (word == "-c") return go(action::object);
    if (word == "-S") return go(action::assembly);
    if (word == "-E") return go(action::preprocess);
    if (word == "-fsyntax-only") return go(action::check);
    if (word == "-M" || word == "-MM") {  // the headers of what the user wrote
      result_.until = action::nothing;
      add(role::action);
      return true;
    }
    return false;
  }

  bool of_linking(const std::string& word) {
    if (holds(without_library, word)) result_.links_library = false;
    if (holds(linking_flags, word) || word.starts_with("-Wl,") || word.starts_with("-fuse-ld=")) {
      add(role::linking);
    } else if (holds(linking_apart, word)) {
      two(role::linking);
    } else {
      const auto* option =
          std::ranges::find_if(linking_joined, [&](const char* o) { return word.starts_with(o); });
      if (option == linking_joined.end()) return false;
      joined(role::linking, *option);
    }
    return true;
  }

  void add(role is, const std::string& value = "") {
    result_.parts.push_back({is, {arguments_[at_++]}, value});
  }

  void two(role is) {
    add(is);
    if (at_ == arguments_.size()) return;  // The compiler says that the argument is missing.
    auto& last = result_.parts.back();
    last.text.push_back(arguments_[at_]);
    last.value = arguments_[at_++];
  }

  void joined(role is, std::string_view option) {
    const std::string& word = arguments_[at_];
    word == option ? two(is) : add(is, word.substr(option.size()));
  }

  const words& arguments_;
  std::size_t at_ = 0;
  bool only_files_ = false;
  std::string language_;
  command_line result_;
};

}  // namespace

std::string command_line::output() const {
  std::string last;
  for (const auto& p : parts) {
    if (p.is == role::output) last = p.value;
  }
  return last;
}

bool command_line::has_inputs() const {
  return std::ranges::any_of(parts, [](const part& p) { return p.is == role::input; });
}

words at_spaces(const std::string& text) {
  std::istringstream in(text);
  words result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

command_line parse(const words& arguments) {
  return parser(arguments).all();
}

}  // namespace thalweg::spar::driver
