#include "driving.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "dependencies.hpp"
#include "mentions.hpp"
#include "response_file.hpp"
#include "standard.hpp"

namespace thalweg::spar::driver {

namespace {

namespace fs = std::filesystem;

// What a system surely takes as one command.
constexpr std::size_t longest_command = 64 * 1024;

void append(words& to, const words& more) {
  to.insert(to.end(), more.begin(), more.end());
}

bool is_ours(const part& p) {
  return p.is == role::spar || p.is == role::question;
}

bool is_source(const part& p) {
  return p.source;
}

bool is_of_mpi(const part& p) {
  return p.is == role::spar && (p.value.starts_with("mpi") || p.text[0] == "-spar_cluster");
}

// A compiler writes these files if it is told so.
bool wants_dependencies(const command_line& line) {
  return std::ranges::any_of(line.parts, [](const part& p) {
    return p.is == role::dependencies &&
           (p.text[0] == "-MD" || p.text[0] == "-MMD" || p.text[0].starts_with("-Wp,"));
  });
}

const part* dependency_option(const command_line& line, std::string_view begin) {
  for (const auto& p : line.parts) {
    if (p.is == role::dependencies && p.text[0].starts_with(begin)) return &p;
  }
  return nullptr;
}

}  // namespace

driving::driving(call called)
    : called_(std::move(called)),
      arguments_(expand_response_files(called_.arguments)),
      line_(parse(arguments_)),
      places_(find_places()) {}

int driving::go() {
  std::vector<translation> done;
  if (line_.until != action::nothing) {
    for (std::size_t at = 0; at < line_.parts.size(); ++at) {
      if (!line_.parts[at].source) continue;
      if (auto one = translate(at)) done.push_back(std::move(*one));
    }
  }
  if (code_ != 0) return code_;
  if (done.empty()) {
    const words command = unchanged_command();
    return folder_ ? run(command) : become(command);
  }
  for (auto& one : done) note(compile(one));
  if (links_at_once()) return code_;
  const bool more = static_cast<std::size_t>(std::ranges::count_if(line_.parts, is_source)) > done.size();
  if (line_.until == action::link ? code_ == 0 : more) note(run(rest_command(done)));
  return code_;
}

// One source is compiled and linked by one command: the compiler names what else it leaves after the program.
// Several are compiled one by one, as each has headers beside it.
bool driving::links_at_once() const {
  return line_.until == action::link && std::ranges::count_if(line_.parts, is_source) == 1;
}

void driving::note(int code) {
  if (code_ == 0) code_ = code;
}

fs::path driving::folder() {
  if (!folder_) {
    keep_signals();  // so that the folder goes, whatever comes
    folder_.emplace();
  }
  return folder_->path();
}

// Where the translated source goes: its name decides what the compiler calls things.
fs::path driving::place_of(const part& source) {
  const fs::path name = fs::path(source.value).filename();
  const fs::path kept = fs::path(".spar").concat(name.extension().string());
  if (called_.launched && !line_.output().empty()) {
    return fs::path(line_.output()).replace_extension() += kept;
  }
  if (line_.keeps) return name.stem() += kept;
  const fs::path own = folder() / std::to_string(written_++);
  fs::create_directory(own);
  return own / name;
}

std::optional<driving::translation> driving::translate(std::size_t at) {
  const part& source = line_.parts[at];
  keep_signals();
  for (const auto& p : line_.parts) {
    if (p.is == role::question) note(driver::run(tool_command(at, p.text)));
  }
  if (!file_mentions_attributes(source.value)) return {};
  translation result{at, place_of(source), {}};
  words options{"-o", result.translated};
  for (const auto& p : line_.parts) {
    // Where it is kept is for this program to say.
    if (p.is == role::spar && p.text[0] != "-spar_file") append(options, p.text);
  }
  note(driver::run(tool_command(at, options)));
  return result;
}

// Calls thalweg-spar for a source.
words driving::tool_command(std::size_t at, const words& options) const {
  words command{places_.tool};
  append(command, options);
  append(command, {line_.parts[at].value, "--"});
  for (std::size_t k = 0; k < line_.parts.size(); ++k) {
    const auto& p = line_.parts[k];
    if (p.is == role::reading || p.is == role::standard || (p.is == role::language && k < at)) {
      append(command, p.text);
    }
  }
  append(command, standard_flag(line_));
  return command;
}

int driving::compile(translation& one) {
  const fs::path output = output_of(one);
  if (line_.until == action::link) one.object = output;
  fs::path dependencies;
  words command = compile_command(one, output);
  append(command, dependency_flags(one, output, dependencies));
  const int code = run(std::move(command));
  if (!dependencies.empty()) name_the_source(dependencies, one.translated, line_.parts[one.at].value);
  return code;
}

// What the compiler calls it by itself, but for the source's name.
fs::path driving::output_of(const translation& one) {
  const fs::path stem = fs::path(line_.parts[one.at].value).stem();
  if (links_at_once()) return line_.output();
  if (line_.until == action::link) {
    return folder() / (std::to_string(written_++) + "-" + stem.string() + ".o");
  }
  if (!line_.output().empty()) return line_.output();
  if (line_.until == action::object) return stem.string() + ".o";
  if (line_.until == action::assembly) return stem.string() + ".s";
  return {};
}

words driving::compile_command(const translation& one, const fs::path& output) const {
  const auto& source = line_.parts[one.at];
  words command = called_.compiler;
  // Headers that lie beside the source.
  const fs::path beside = fs::path(source.value).parent_path();
  append(command, {"-iquote", beside.empty() ? "." : beside.string()});
  const bool whole = links_at_once();
  bool debugs = false;
  for (std::size_t k = 0; k < line_.parts.size(); ++k) {
    const auto& p = line_.parts[k];
    switch (p.is) {
      case role::input:
        if (k == one.at) {
          command.push_back(one.translated);
        } else if (whole) {
          append(command, p.text);
        }
        break;
      case role::linking:
        if (whole) append(command, p.text);
        break;
      case role::language:
        if (whole || k < one.at) append(command, p.text);
        break;
      case role::output:
      case role::spar:
      case role::question:
        break;
      default:
        debugs = debugs || p.text[0].starts_with("-g");
        append(command, p.text);
    }
  }
  append(command, standard_flag(line_));
  append(command, include_flags(places_));
  // The name of the source for debuggers; the lines have it already.
  if (debugs) command.push_back("-fdebug-prefix-map=" + one.translated.string() + "=" + source.value);
  if (line_.until == action::link && !whole) command.push_back("-c");
  if (!output.empty()) append(command, {"-o", output});
  if (whole) add_libraries(command);
  return command;
}

words driving::dependency_flags(const translation& one, const fs::path& output, fs::path& file) const {
  if (!wants_dependencies(line_) || line_.until == action::preprocess) return {};
  for (const char* option : {"-MF", "-Wp,"}) {
    if (const auto* named = dependency_option(line_, option)) {
      file = named->value;
      return {};
    }
  }
  // As the compiler names it.
  const std::string stem = fs::path(line_.parts[one.at].value).stem();
  const std::string program = line_.output();
  if (line_.until != action::link) {
    file = output.empty() ? fs::path(stem + ".d") : fs::path(output).replace_extension(".d");
  } else if (links_at_once() && !program.empty()) {
    file = fs::path(program).replace_extension(".d");
  } else {
    file = fs::path(program.empty() ? "a" : program).replace_extension() += "-" + stem + ".d";
  }
  words result{"-MF", file};
  const bool named = dependency_option(line_, "-MT") != nullptr || dependency_option(line_, "-MQ") != nullptr;
  if (line_.until == action::link && !links_at_once() && !named) append(result, {"-MQ", stem + ".o"});
  return result;
}

// What is left for the compiler when translated sources are compiled: to link, or to compile the other
// sources.
words driving::rest_command(const std::vector<translation>& done) const {
  std::map<std::size_t, const translation*> by_part;
  for (const auto& one : done) by_part[one.at] = &one;
  const bool links = line_.until == action::link;
  const auto sources = static_cast<std::size_t>(std::ranges::count_if(line_.parts, is_source));
  words command = called_.compiler, language;
  for (std::size_t k = 0; k < line_.parts.size(); ++k) {
    const auto& p = line_.parts[k];
    if (is_ours(p) || (p.is == role::dependencies && sources == done.size())) continue;
    if (p.is == role::language) language = p.text;
    const auto found = by_part.find(k);
    if (found == by_part.end()) {
      append(command, p.text);
    } else if (links) {
      if (!language.empty()) append(command, {"-x", "none"});
      command.push_back(found->second->object);
      append(command, language);
    }
  }
  if (links) add_libraries(command);
  return command;
}

words driving::unchanged_command() const {
  const bool any_of_spar = std::ranges::any_of(line_.parts, [](const part& p) { return is_ours(p); });
  words command = called_.compiler;
  if (!any_of_spar) {
    append(command, called_.arguments);
  } else {
    for (const auto& p : line_.parts) {
      if (!is_ours(p)) append(command, p.text);
    }
  }
  if (line_.until == action::link && line_.has_inputs()) add_libraries(command);
  return command;
}

void driving::add_libraries(words& command) const {
  if (called_.launched || !line_.links_library) return;
  append(command, library_flags(places_, std::ranges::any_of(line_.parts, is_of_mpi)));
}

int driving::run(words command) {
  const std::size_t length =
      std::accumulate(command.begin(), command.end(), std::size_t{0},
                      [](std::size_t sum, const std::string& w) { return sum + w.size() + 1; });
  if (length > longest_command && arguments_ != called_.arguments) {
    const auto behind = command.begin() + static_cast<std::ptrdiff_t>(called_.compiler.size());
    const fs::path file = folder() / (std::to_string(written_++) + ".arguments");
    write_response_file(file, words(behind, command.end()));
    command.erase(behind, command.end());
    command.push_back("@" + file.string());
  }
  return driver::run(command);
}

}  // namespace thalweg::spar::driver
