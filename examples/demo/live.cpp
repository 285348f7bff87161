// A stream to look at in the browser: blocks of a directory tree are read, compressed and uploaded, at a
// pace. From some block on, the server that they go to is slow: each upload takes ten times as long, and
// its only replica becomes the bottleneck. It waits and needs no core, so more replicas help on any machine.
//
// For `./thalweg demo --live`: it writes lines of JSON, first where the page is, then how far the stream is.
// The page stays until the program is told to end (SIGTERM, SIGINT).
#include <thalweg/live/server.hpp>
#include <thalweg/observe/json.hpp>
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>

#include "archive.hpp"
#include "compress.hpp"
#include "tree.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t block_size = 16'384;
constexpr double blocks_per_second = 100;
constexpr auto upload_time = 2ms, slow_upload_time = 20ms;
constexpr auto told_every = 250ms;

struct settings {
  std::string folder = demo::default_folder();
  std::string policy = "pool";
  std::uint64_t blocks = 4'000;
  std::uint64_t slow_from = 2'000;
};

std::atomic<bool> told_to_end = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // else a handler of signals may not set it

// Nobody guesses it, so a page that another program shows cannot change the run.
std::string new_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 32; ++i) token += "0123456789abcdef"[random() % 16];
  return token;
}

/// The blocks of a tree's archive, over and over, until there were enough.
class endless_archive {
 public:
  endless_archive(const demo::tree& listed, std::uint64_t blocks) : tree_(&listed), left_(blocks) {}

  std::optional<std::string> operator()() {
    if (left_ == 0) return std::nullopt;
    --left_;
    if (auto block = now_()) return block;
    now_ = demo::archive(*tree_, block_size);
    return now_();
  }

 private:
  const demo::tree* tree_;
  std::uint64_t left_;
  demo::archive now_{*tree_, block_size};
};

std::string head_of(const settings& chosen, const std::string& url) {
  std::string text;
  tw::observe::json_writer json(text);
  json.begin_object().member("url", url).member("blocks", chosen.blocks);
  json.member("slow_from", chosen.slow_from).end_object();
  return text;
}

void show(const settings& chosen) {
  const demo::tree tree = demo::tree::below(chosen.folder);
  std::atomic<std::uint64_t> uploads = 0;
  std::uint64_t bytes = 0;
  const auto upload = [&](std::string packed) {
    std::this_thread::sleep_for(uploads++ < chosen.slow_from ? upload_time : slow_upload_time);
    return packed;
  };
  auto job = tw::paced(endless_archive(tree, chosen.blocks), blocks_per_second, {.name = "read"}) |
             tw::farm(demo::compress, {.replicas = 2, .name = "compress"}) |
             tw::farm(upload, {.replicas = 1, .name = "upload", .blocking = true}) |
             tw::sink([&](const std::string& packed) { bytes += packed.size(); }, {.name = "count"});

  const std::string token = new_token();
  const tw::live::server page(tw::launch(std::move(job), tw::policy_from(chosen.policy)),
                              {.token = token, .title = "Thalweg's demo", .announce = false});
  std::cout << head_of(chosen, page.url() + "#token=" + token) << std::endl;
  // Who reads this may go: then writing it ends the program.
  tw::execution& run = page.execution();
  while (!told_to_end && !run.done()) {
    std::cout << run.stats().to_json() << std::endl;
    std::this_thread::sleep_for(told_every);
  }
  if (told_to_end) run.stop();
  const std::string end = page.wait().to_json();
  while (!told_to_end) {
    std::cout << end << std::endl;
    std::this_thread::sleep_for(told_every);
  }
}

}  // namespace

int main(int argc, char** argv) {
  settings chosen;
  CLI::App app("Shows a stream in the browser that packs a directory tree and uploads it.");
  app.add_option("folder", chosen.folder, "What to pack")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str();
  app.add_option("-p,--policy", chosen.policy, "How to run: pool, pool:n, threads, threads:n")
      ->capture_default_str();
  app.add_option("--blocks", chosen.blocks, "How many blocks the stream has")->capture_default_str();
  app.add_option("--slow-from", chosen.slow_from, "How many uploads are fast")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  for (const int told : {SIGTERM, SIGINT}) std::signal(told, [](int) { told_to_end = true; });
  try {
    show(chosen);
  } catch (const std::exception& problem) {
    std::cerr << "demo: " << problem.what() << '\n';
    return 1;
  }
  return 0;
}
