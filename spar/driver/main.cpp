/// thalweg-spar++: a C++ compiler that understands SPar's attributes.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include "driving.hpp"

namespace {

using namespace thalweg::spar::driver;

// `--launch 2 ccache g++ <arguments>`: so a build system calls it, which knows the compiler and how many
// words it has.
call called_with(words arguments) {
  const auto at = std::find(arguments.begin(), arguments.end(), "--launch");
  if (at == arguments.end()) {
    const char* named = std::getenv("THALWEG_SPAR_CXX");
    words compiler = at_spaces(named != nullptr ? named : "");
    if (compiler.empty()) compiler = {"c++"};
    return {std::move(compiler), std::move(arguments), false};
  }
  const auto behind = arguments.end() - at;
  const int count = behind > 1 ? std::atoi(at[1].c_str()) : 0;
  if (count < 1 || behind < 2 + count) {
    throw std::runtime_error("--launch needs a number of words, and as many words of a compiler");
  }
  words compiler(at + 2, at + 2 + count);
  arguments.erase(at, at + 2 + count);
  return {std::move(compiler), std::move(arguments), true};
}

}  // namespace

int main(int argc, char** argv) {
  int signal = 0;
  try {
    return driving(called_with(words(argv + 1, argv + argc))).go();
  } catch (const ended_by& end) {
    signal = end.signal;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "thalweg-spar++: error: %s\n", error.what());
    return 1;
  }
  // The caller is to see the same end.
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  return 128 + signal;
}
