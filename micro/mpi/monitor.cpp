// What it costs that rank 0 writes down every 100 ms what all ranks have counted: time, and bytes sent.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include "../support/program.hpp"
#include "../support/raw.hpp"
#include "session.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

/// How much longer a run is than those of other benchmarks: so that there are some samples.
constexpr std::uint64_t longer = 5;
/// As for samples of a run in one process.
constexpr double bar_of_time = 1.02;

struct way {
  const char* name;
  tw::mpi_comm comm;
};
constexpr way ways[] = {{"shared memory", tw::automatic}, {"messages", tw::two_sided}};

struct observed_run {
  even_farm program;
  tw::mpi_comm comm;
  std::chrono::milliseconds every;
  std::string file{};  ///< Of its samples. Empty: none are taken.
};

std::uint64_t run_once(const observed_run& what) {
  checksum sum;
  tw::run(tw::source(counter{0, what.program.items}) | tw::farm(what.program.work, {.name = "farm"}) |
              tw::sink([&](std::uint64_t x) { sum(x); }),
          tw::mpi(tw::mpi_options{.comm = what.comm}), {.monitor = what.file, .every = what.every});
  return sum.value();
}

/// The same, and how much of what the two ranks have sent by MPI are figures: in bytes per million, into
/// `shares`.
std::uint64_t run_counted(const ranks& all, const observed_run& what, std::vector<double>& shares) {
  const auto before = sent_so_far();
  const auto result = run_once(what);
  const auto after = sent_so_far();
  double figures = 0, bytes = 0;
  for (int r = 0; r < all.count(); ++r) {
    figures += static_cast<double>(all.told(after.bytes_of_figures - before.bytes_of_figures, r));
    bytes += static_cast<double>(all.told(after.bytes - before.bytes, r));
  }
  if (what.file.empty() && figures > 0) throw std::runtime_error("figures that nobody has asked for");
  if (bytes > 0) shares.push_back(1e6 * figures / bytes);
  return result;
}

void compare(mpi_session& s, const observed_run& without, const std::string& file,
             const std::string& variant) {
  const auto expected = s.all.told(s.all.first() ? loop(without.program).run() : 0);
  auto with = without;
  with.file = file;
  const auto setting = ".monitor at " + std::to_string(with.every.count()) + " ms";
  std::vector<double> none, shares;
  experiment e("mpi_monitor", variant, without.program.items, [&s] { return s.all.used(); });
  const auto reference = e.reference(
      on_all(s.all, "thalweg", "no .monitor", [&] { return run_counted(s.all, without, none); }), expected);
  e.add(on_all(s.all, "thalweg", setting, [&] { return run_counted(s.all, with, shares); }), expected,
        reference, bar_of_time);
  e.run(s.repeats, s.out, s.random);
  if (with.comm != tw::two_sided) return;  // what ranks leave in memory that they share is not counted
  row r;
  r.bench = "mpi_monitor";
  r.variant = variant;
  r.peer = "thalweg";
  r.setting = setting;
  r.metric = "figures";
  r.unit = "of a million bytes";
  r.items = with.program.items;
  r.repeats = static_cast<int>(shares.size());
  r.samples = shares;
  s.out.result(r);
}

}  // namespace

void run_mpi_monitor(mpi_session& s) {
  tw::let_travel<std::uint64_t>();
  const auto file =
      (std::filesystem::temp_directory_path() / ("thalweg_micro_mpi_" + std::to_string(::getpid()))).string();
  // Quick runs are a tenth as long, and have as many samples.
  const std::chrono::milliseconds every(s.quick ? 10 : 100);
  for (const double time : {87.0, 1'000.0}) {
    const even_farm program{longer * s.items(time), even_work{s.steps(time)}};
    for (const auto& by : ways)
      compare(s, {program, by.comm, every}, file, std::string(time < 1e3 ? "87 ns, " : "1 µs, ") + by.name);
  }
  std::error_code gone_already;
  if (s.all.first()) std::filesystem::remove(file, gone_already);
}

}  // namespace micro
