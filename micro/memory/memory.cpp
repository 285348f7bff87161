// Peak memory, each time in a process of its own: flat over any number of items, and bounded when the sink is
// slow.
#include <exception>

#include "../session.hpp"
#include "../support/child.hpp"

namespace micro {
namespace {

struct measured {
  double peak;         // MB after the longer stream
  double growth;       // MB from the shorter to the longer
  double parallelism;  // of the longer stream
};

measured grow(errand e, std::uint64_t fewer, std::uint64_t more) {
  e.items = fewer;
  const auto before = static_cast<double>(run_apart(e).memory) / 1e3;
  e.items = more;
  const auto took = run_apart(e);
  const auto after = static_cast<double>(took.memory) / 1e3;
  return {after, after - before, took.parallelism};
}

void show(session& s, const std::string& variant, const errand& e, std::uint64_t fewer, std::uint64_t more,
          std::optional<double> limit, const std::string& role = "default") {
  const int repeats = s.quick ? 1 : 3;
  std::vector<double> peaks;
  std::vector<double> growths;
  std::vector<double> used;
  try {
    for (int i = 0; i < repeats; ++i) {
      s.out.progress("memory", i, repeats, variant + ": " + e.peer + " " + e.setting);
      const auto m = grow(e, fewer, more);
      peaks.push_back(m.peak);
      growths.push_back(m.growth);
      used.push_back(m.parallelism);
    }
  } catch (const std::exception& error) {
    s.out.wrong("memory", variant, e.peer + " " + e.setting, error.what());
    return;
  }
  row out;
  out.bench = "memory";
  out.variant = variant;
  out.peer = e.peer;
  out.setting = e.setting;
  out.role = role;
  out.unit = "MB";
  out.items = more;
  out.repeats = repeats;
  out.parallelism = used;
  out.metric = "peak";
  out.samples = peaks;
  s.out.result(out);
  out.metric = "growth";
  out.samples = growths;
  if (limit) out.limit = bar{*limit, bar_on::value};
  s.out.result(out);
}

}  // namespace

void run_memory(session& s) {
  const std::uint64_t many = s.quick ? 20'000'000 : 100'000'000;
  constexpr std::uint64_t few = 1'000'000;
  constexpr double noise = 1.0;  // MB: stacks and heaps of threads that started at another moment
  for (const double nanoseconds : {4.0, 40.0}) {
    const auto variant = std::to_string(many / 1'000'000) + " million items, " + name_of_grain(nanoseconds);
    show(s, variant, {"even", "thalweg", "pool", 0, s.work.steps(nanoseconds)}, few, many, noise);
  }
  // A slow sink: the frames that wait must be bounded, so four times as many need no more memory. They are by
  // their bytes, whatever the options say, and by their number, where `.capacity` is given.
  const std::uint64_t frames = s.quick ? 150 : 300;
  const std::string variant = "640 kB frames, slow sink";
  for (const char* setting : {"pool", "pool, capacity 16", "threads", "threads, capacity 16"}) {
    show(s, variant, {"frames", "thalweg", setting, 0, 1}, frames, 4 * frames, 4 * noise);
  }
  for (const auto& peer : s.peers.peers()) {
    const auto settings = peer->contenders(frame_program{});
    const auto frames_for = [&](const contender& who) {
      return errand{"frames", who.peer, who.setting, frames, 1};
    };
    const auto peak = [&](const contender& who) {
      return static_cast<double>(run_apart(frames_for(who)).memory);
    };
    show(s, variant, frames_for(default_of(settings)), frames, 4 * frames, {});
    if (const auto best = best_setting(settings, peak, "memory", variant, s.out)) {
      show(s, variant, frames_for(settings[*best]), frames, 4 * frames, {}, "tuned");
    }
  }
  s.out.progress("memory", 1, 1, "done");
}

}  // namespace micro
