// What samples cost that a run writes into a file.
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "../session.hpp"
#include "job.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

contender monitored(const even_farm& program, const std::string& file) {
  const tw::any_policy policy;
  const tw::run_options options{.monitor = file, .every = std::chrono::milliseconds(100)};
  return {"thalweg", policy.name() + (file.empty() ? ", no .monitor" : ", .monitor at 100 ms"), true,
          [=] { return checksum_by(program, [&](auto job) { tw::run(std::move(job), policy, options); }); }};
}

}  // namespace

void run_monitored(session& s) {
  const even_farm program{s.items(watched_nanoseconds) * watched_longer, {s.work.steps(watched_nanoseconds)}};
  const auto expected = loop(program).run();
  const auto file = std::filesystem::temp_directory_path() / ("thalweg_micro_" + std::to_string(::getpid()));
  experiment all("observe", name_of_grain(watched_nanoseconds) + ", samples", program.items);
  const auto without = all.reference(monitored(program, {}), expected);
  all.add(monitored(program, file.string()), expected, without);
  all.run(s.repeats, s.out, s.random);
  std::error_code gone_already;
  std::filesystem::remove(file, gone_already);
}

}  // namespace micro
