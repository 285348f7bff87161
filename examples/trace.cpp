// Pictures: the job as a graph, and the run as a time line.
//
// `to_dot` gives the job for Graphviz (dot -Tsvg job.dot > job.svg) and `to_json` for other tools, without
// running it. The option `.trace` writes what each thread did and when, for https://ui.perfetto.dev or
// chrome://tracing: one bar for each run of items. Stages that ran as one loop share a bar.
#include <thalweg/thalweg.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <ranges>
#include <string>

#include <unistd.h>

namespace tw = thalweg;

double heavy(int x) {
  double sum = 0;
  for (int i = 1; i <= 20'000; ++i) sum += std::sqrt(static_cast<double>(x + i));
  return sum;
}

int main() {
  auto job = tw::source(std::views::iota(0, 500), {.name = "read"}) |
             tw::farm(heavy, {.replicas = 2, .name = "heavy"}) | tw::sink([](double) {}, {.name = "write"});

  std::cout << tw::to_dot(job) << tw::to_json(job) << '\n';

  const auto file =
      std::filesystem::temp_directory_path() / ("trace-" + std::to_string(::getpid()) + ".json");
  tw::run(job, tw::pool{}, {.trace = file.string()});

  std::ifstream in(file);
  const std::string trace{std::istreambuf_iterator<char>(in), {}};
  std::cout << "the trace has " << trace.size() << " bytes\n";
  std::filesystem::remove(file);
  return trace.find("\"traceEvents\"") != std::string::npos && trace.find("heavy") != std::string::npos ? 0
                                                                                                        : 1;
}
