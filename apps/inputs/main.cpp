// Lists, makes and checks the inputs of the applications.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "apps/inputs/registry.hpp"
#include "apps/inputs/suggest.hpp"
#include "apps/support/cache.hpp"
#include "apps/support/error.hpp"
#include "apps/support/interruption.hpp"
#include "apps/support/progress_bar.hpp"
#include "apps/support/registered_input.hpp"

namespace {

namespace fs = std::filesystem;
using apps::application;

enum exit_code { good = 0, bad = 1, wrong_usage = 2, interrupted = 130 };

// What was asked for does not exist.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string did_you_mean(const std::string& name, const std::vector<std::string>& names) {
  const auto near = apps::nearest(name, names);
  return near.empty() ? "; `thalweg_inputs list` shows all" : ": did you mean '" + near + "'?";
}

const application& find_application(const std::string& name) {
  std::vector<std::string> names;
  for (const auto* app : apps::applications()) {
    if (app->name == name) return *app;
    names.push_back(app->name);
  }
  for (const auto& missing : apps::missing_applications()) {
    if (missing.name != name) continue;
    throw usage_error("'" + name + "' is not built here; to have it: apt-get install " + missing.packages +
                      ", then configure and build again");
  }
  throw usage_error("there is no application '" + name + "'" + did_you_mean(name, names));
}

// Nothing: it is one of the application's own inputs.
std::optional<apps::registered_input> find_input(const application& app, const std::string& name) {
  if (std::find(app.inputs.begin(), app.inputs.end(), name) != app.inputs.end()) return std::nullopt;
  auto names = app.inputs;
  for (auto& one : apps::registered_inputs(app.name)) {
    if (one.name == name) return std::move(one);
    names.push_back(one.name);
  }
  throw usage_error(app.name + " has no input '" + name + "'" + did_you_mean(name, names));
}

// A generator ends early, and leaves nothing behind, by what its reports of progress throw.
template <class Make> auto with_progress(const application& app, const std::string& input, Make make) {
  apps::progress_bar bar(app.name + " " + input);
  return make([&bar](std::uint64_t done, std::uint64_t all) {
    apps::check_interruption();
    bar.show(done, all);
  });
}

fs::path provide(const application& app, const std::string& input, bool again) {
  return with_progress(app, input, [&](const apps::progress& told) {
    return apps::provide_input(app, input, told, again, [&] {
      std::fprintf(stderr, "another process makes %s %s: waiting for it\n", app.name.c_str(), input.c_str());
    });
  });
}

// Of a file, or of all that are in a folder; 0 if there is none.
std::uintmax_t size_of(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return fs::is_regular_file(path, ignored) ? fs::file_size(path) : 0;
  std::uintmax_t size = 0;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file()) size += entry.file_size();
  return size;
}

nlohmann::json described(const std::string& name, bool there, const fs::path& place, bool registered) {
  nlohmann::json one{{"name", name}, {"made", there}, {"folder", place.string()}, {"registered", registered}};
  if (there) one["bytes"] = size_of(place);
  return one;
}

void list_as_json() {
  auto all = nlohmann::json::array();
  for (const auto* app : apps::applications()) {
    auto inputs = nlohmann::json::array();
    for (const auto& input : app->inputs)
      inputs.push_back(
          described(input, apps::input_is_there(*app, input), apps::input_folder(*app, input), false));
    for (const auto& one : apps::registered_inputs(app->name))
      inputs.push_back(described(one.name, fs::exists(one.file), one.file, true));
    all.push_back({{"name", app->name},
                   {"says", app->says},
                   {"operators", app->operators},
                   {"inputs", std::move(inputs)}});
  }
  auto missing = nlohmann::json::array();
  for (const auto& m : apps::missing_applications())
    missing.push_back({{"name", m.name}, {"fix", "apt-get install " + m.packages}});
  std::puts(
      nlohmann::json{{"applications", std::move(all)}, {"unavailable", std::move(missing)}}.dump(2).c_str());
}

void list_as_text() {
  for (const auto* app : apps::applications()) {
    std::printf("%s: %s\n", app->name.c_str(), app->says.c_str());
    for (const auto& input : app->inputs) {
      if (apps::input_is_there(*app, input)) {
        const auto megabytes = static_cast<double>(size_of(apps::input_folder(*app, input))) / 1e6;
        std::printf("  %-20s made, %.1f MB\n", input.c_str(), megabytes);
      } else {
        std::printf("  %s\n", input.c_str());
      }
    }
    for (const auto& one : apps::registered_inputs(app->name))
      std::printf("  %-20s %s%s\n", one.name.c_str(), one.file.c_str(),
                  fs::exists(one.file) ? "" : ", which is not there");
  }
  for (const auto& m : apps::missing_applications())
    std::printf("%s: not built; to have it: apt-get install %s\n", m.name.c_str(), m.packages.c_str());
  std::printf("inputs are kept in %s\n", apps::input_cache().c_str());
}

struct order {
  bool json = false;
  bool force = false;
  std::string app, input;
  fs::path to, output;
};

int run(const std::string& command, const order& asked) {
  if (command == "list") {
    asked.json ? list_as_json() : list_as_text();
    return good;
  }
  const auto& app = find_application(asked.app);
  const auto own = find_input(app, asked.input);
  if (command == "verify") {
    const auto found = own ? apps::verify_registered(*own, asked.output)
                           : app.verify(asked.input, provide(app, asked.input, false), asked.output);
    std::printf("%s: %s: %s\n", asked.output.c_str(), found.good ? "good" : "wrong", found.says.c_str());
    return found.good ? good : bad;
  }
  if (own) {
    if (!fs::exists(own->file)) throw apps::error("'" + own->file.string() + "' is not there");
    if (command == "generate" && (asked.force || !asked.to.empty()))
      throw usage_error("'" + own->name + "' is a file of the user's, '" + own->file.string() +
                        "', and is not made here");
    std::puts(own->file.c_str());
    return good;
  }
  if (!asked.to.empty()) {
    with_progress(app, asked.input, [&](const apps::progress& told) {
      apps::make_input_in(asked.to, app, asked.input, told, asked.force);
    });
    return good;
  }
  const auto folder = provide(app, asked.input, asked.force);
  std::puts(folder.c_str());
  return good;
}

int carry_out(const std::string& command, const order& asked) try {
  return run(command, asked);
} catch (const apps::interruption&) {
  return interrupted;
} catch (const usage_error& e) {
  std::fprintf(stderr, "thalweg_inputs: %s\n", e.what());
  return wrong_usage;
} catch (const std::exception& e) {
  std::fprintf(stderr, "thalweg_inputs: %s\n", e.what());
  return bad;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App options{"The inputs of the applications: made when first asked for, the same on every machine"};
  options.require_subcommand(1);
  order asked;
  auto* const list = options.add_subcommand("list", "show applications and their inputs");
  list->add_flag("--json", asked.json, "for programs");
  auto* const generate =
      options.add_subcommand("generate", "make an input, unless it is there, and print its folder");
  generate->add_option("--to", asked.to, "put its files into this folder, not into the cache");
  generate->add_flag("--force", asked.force, "make it again; with --to, replace files");
  auto* const verify = options.add_subcommand("verify", "check what a program has made of an input");
  auto* const path = options.add_subcommand("path", "print the folder of an input, which is made if need be");
  for (auto* const command : {generate, verify, path}) {
    command->add_option("app", asked.app, "an application, such as bzip2")->required();
    command->add_option("input", asked.input, "one of its inputs, such as test, or a user's own")->required();
  }
  verify->add_option("output", asked.output, "the file or folder that was written")->required();
  options.footer("Exit code: 0 good, 1 an error or a wrong output, 2 wrong usage, 130 interrupted.");
  const std::vector<std::string> commands{"list", "generate", "verify", "path"};
  if (const std::string first = argc > 1 ? argv[1] : "-";
      !first.starts_with('-') && std::find(commands.begin(), commands.end(), first) == commands.end()) {
    const auto near = apps::nearest(first, commands);
    std::fprintf(stderr, "thalweg_inputs: there is no command '%s'%s\n", first.c_str(),
                 near.empty() ? "; --help shows all" : (": did you mean '" + near + "'?").c_str());
    return wrong_usage;
  }
  try {
    options.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return options.exit(e) == 0 ? good : wrong_usage;
  }
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, [](int by) { apps::stop_signal = by; });
  return carry_out(options.get_subcommands().front()->get_name(), asked);
}
