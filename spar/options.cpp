#include "options.hpp"

#include <charconv>
#include <iostream>
#include <stdexcept>
#include <string_view>

namespace thalweg::spar {
namespace {

void say(std::string_view what) {
  std::cerr << "thalweg-spar: " << what << '\n';
}

std::optional<int> positive(std::string_view text) {
  int n = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (problem != std::errc() || end != text.data() + text.size() || n < 1) return std::nullopt;
  return n;
}

// The library says the same when the program runs, but then it is late.
void check_policy(const std::string& text) {
  const auto colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const bool known = name == "pool" || name == "threads" || name == "mpi" || (name == "sequential" && colon == std::string::npos);
  if (!known) throw std::invalid_argument("--policy " + text + ": there are pool, threads, sequential and mpi");
  if (colon != std::string::npos && !positive(std::string_view(text).substr(colon + 1))) {
    throw std::invalid_argument("--policy " + text + ": behind the colon stands a positive number");
  }
}

}  // namespace

std::string usage() {
  return "usage: thalweg-spar [options] FILE.cpp [-- options of the compiler]\n"
         "\n"
         "Writes the C++ program over Thalweg for a program with SPar's attributes.\n"
         "\n"
         "  -o FILE             where to write; default: the standard output\n"
         "  -p FOLDER           the folder of a compile_commands.json, instead of options behind --\n"
         "  --policy POLICY     pool, pool:4, threads, threads:4, sequential, mpi; default: pool. While it runs,\n"
         "                      THALWEG_SPAR_POLICY in the environment says otherwise (not with mpi)\n"
         "  --explain[=dot]     prints the streams that it finds as a picture (or as DOT) instead\n"
         "  --suggest           prints for each loop what could be a stage, and what stands in the way\n"
         "  --help              prints this\n"
         "\n"
         "Options of the original compiler:\n"
         "  -spar_ondemand [N]  items go to the replica that is free, which is the default; at most N wait for each\n"
         "  -spar_ordered       items leave in the order in which they came, which is the default\n"
         "  -spar_blocking      stages wait for the outside: each gets its own thread\n"
         "  -spar_print         also prints the written program to the standard error stream\n"
         "  -spar_file          also writes the program beside the source, as FILE.spar.cpp\n"
         "  -spar_cluster       the same as --policy mpi\n";
}

options options_from(int argc, const char* const* argv) {
  options told;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    const auto value = [&](const std::string& name) -> std::optional<std::string> {
      if (a.starts_with(name + "=") && name.starts_with("--")) return a.substr(name.size() + 1);
      if (a != name) return std::nullopt;
      if (++i == argc) throw std::invalid_argument(name + " needs a value");
      return argv[i];
    };
    if (a == "--") {
      told.compiler.assign(argv + i + 1, argv + argc);
      break;
    }
    if (const auto file = value("-o")) {
      told.output = *file;
    } else if (const auto folder = value("-p")) {
      told.database = *folder;
    } else if (const auto policy = value("--policy")) {
      check_policy(*policy);
      told.policy = *policy;
    } else if (a == "--explain") {
      told.gives = options::what::picture;
    } else if (a == "--explain=dot") {
      told.gives = options::what::dot;
    } else if (a == "--suggest") {
      told.gives = options::what::suggestions;
    } else if (a == "-spar_ondemand") {
      if (i + 1 < argc) told.on_demand = positive(argv[i + 1]);
      if (told.on_demand) ++i;
      if (!told.on_demand) say("-spar_ondemand: items go to the replica that is free, with or without this option");
    } else if (a == "-spar_ordered") {
      say("-spar_ordered: the order is kept unless a stage says thalweg::Unordered");
    } else if (a == "-spar_blocking") {
      told.blocking = true;
    } else if (a == "-spar_print") {
      told.print = true;
    } else if (a == "-spar_file") {
      told.file = true;
    } else if (a == "-spar_cluster") {
      told.policy = "mpi";
    } else if (a.starts_with("-")) {
      throw std::invalid_argument("unknown option '" + a + "'; options of the compiler stand behind --");
    } else if (!told.input.empty()) {
      throw std::invalid_argument("two input files, '" + told.input + "' and '" + a + "': give one");
    } else {
      told.input = a;
    }
  }
  if (told.input.empty()) throw std::invalid_argument("no input file");
  if (!told.database.empty() && !told.compiler.empty()) {
    throw std::invalid_argument("-p and options behind --: give one of them");
  }
  return told;
}

}  // namespace thalweg::spar
