// Packs a directory tree into a .tar.bz2: one stage reads, as many as there are cores compress, one writes.
#include <thalweg/observe/json.hpp>
#include <thalweg/thalweg.hpp>
#ifdef DEMO_HAS_MPI
#include <thalweg/run/mpi.hpp>
#endif

#include <chrono>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "archive.hpp"
#include "compress.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

/// The number of the process that has compressed a block, and what that became. It can travel.
using packed_block = std::pair<int, std::string>;

struct settings {
  std::string folder = demo::default_folder();
  std::string output = "demo.tar.bz2";
  std::string policy = "pool";
  bool json = false;
};

/// Which process this is, where several execute the job: the first one reads and writes.
int rank_under([[maybe_unused]] const std::string& policy) {
#ifdef DEMO_HAS_MPI
  if (policy.starts_with("mpi")) {
    tw::let_travel<std::string>();
    tw::let_travel<packed_block>();
    return tw::mpi().rank();
  }
#endif
  return 0;
}

/// What a process has done, in JSON.
std::string row(int rank, std::uint64_t compressed, double cores) {
  return "{\"rank\":" + std::to_string(rank) + ",\"compressed\":" + std::to_string(compressed) +
         ",\"cores\":" + std::to_string(cores) + "}";
}

/// What all processes have done, in a line of JSON. What they have said themselves lacks the last blocks.
std::string rows_at_the_end(const tw::report& end, std::map<int, std::uint64_t> compressed) {
  std::string rows;
  for (const tw::rank_report& r : end.ranks()) {
    const std::chrono::duration<double> cpu = r.cpu, elapsed = end.elapsed();
    rows += (rows.empty() ? "" : ",") + row(r.rank, compressed[r.rank], cpu / elapsed);
  }
  // A single process runs the job as without MPI, and has no such rows.
  return "{\"at_end\":[" + (rows.empty() ? row(0, compressed[0], end.cores_used()) : rows) + "]}\n";
}

/// How much there is to do, and what is left out, in a line of JSON.
std::string head_of(const demo::tree& tree, std::uint64_t blocks) {
  std::string text;
  tw::observe::json_writer json(text);
  json.begin_object().member("blocks", blocks).member("bytes", tree.bytes);
  json.member("entries", tree.entries.size()).key("left_out").begin_array();
  for (const std::string& name : tree.left_out) json.value(name);
  json.end_array().end_object();
  return text;
}

void pack(const settings& chosen) {
  const bool across = chosen.policy.starts_with("mpi");
  const int rank = rank_under(chosen.policy);
  const demo::tree tree = demo::tree::below(chosen.folder);
  const std::uint64_t blocks = (tree.bytes + demo::archive::block_size - 1) / demo::archive::block_size;
  std::ofstream file;
  if (rank == 0) file.open(chosen.output, std::ios::binary);
  if (!file) throw std::runtime_error("cannot write " + chosen.output);

  std::uint64_t written = 0;
  std::map<int, std::uint64_t> compressed;  // how many blocks, by each process
  const auto compress_here = [rank](const std::string& block) {
    return packed_block(rank, demo::compress(block));
  };
  const auto write = [&](const packed_block& packed) {
    const auto& [by, bytes] = packed;
    if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
      throw std::runtime_error("cannot write to " + chosen.output + ": is the disk full?");
    }
    written += bytes.size();
    ++compressed[by];
  };

  auto job = tw::source(demo::archive(tree), {.name = "read"}) |
             tw::farm(compress_here, {.name = "compress"}) | tw::sink(write, {.name = "write"});

  if (chosen.json && rank == 0) {
    std::cout << head_of(tree, blocks) << std::endl;
  } else if (rank == 0) {
    for (const std::string& name : tree.left_out)
      std::cerr << "demo: left out (no file, folder or link, not to be read, or of 8 GiB or more): " << name
                << '\n';
  }
  auto running = tw::launch(std::move(job), tw::policy_from(chosen.policy));
  while (!running.done()) {
    std::this_thread::sleep_for(100ms);
    if (across && running.done()) break;  // the first process is about to say how it ended
    const tw::report now = running.stats();
    if (chosen.json && across) {
      // Short, as the lines of all processes come out in one place.
      std::cout << row(rank, now.stage("compress").items_out(), now.cores_used()) + "\n" << std::flush;
    } else if (chosen.json) {
      std::cout << now.to_json() << std::endl;
    } else if (rank == 0 && ::isatty(STDOUT_FILENO) != 0) {
      std::cout << '\r' << now.items() << " of " << blocks << " blocks" << std::flush;
    }
  }
  const tw::report end = running.wait();
  if (!end.is_root()) return;
  file.close();
  if (!file) throw std::runtime_error("cannot write to " + chosen.output + ": is the disk full?");
  if (chosen.json) {
    if (across) std::cout << rows_at_the_end(end, compressed);
    std::cout << end.to_json() << std::endl;
  } else {
    std::cout << (::isatty(STDOUT_FILENO) != 0 ? "\n" : "") << end << tree.bytes << " bytes became "
              << written << " in " << chosen.output << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  settings chosen;
  CLI::App app("Packs a directory tree into a .tar.bz2 with a stream of stages.");
  app.add_option("folder", chosen.folder, "What to pack")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str();
  app.add_option("-o,--output", chosen.output, "The archive to write")->capture_default_str();
  app.add_option("-p,--policy", chosen.policy,
                 "How to run: sequential, pool, pool:n, threads, threads:n; under mpiexec: mpi")
      ->capture_default_str();
  app.add_flag("--json", chosen.json, "Tell of the progress in JSON, a report a line");
  CLI11_PARSE(app, argc, argv);
  try {
    pack(chosen);
  } catch (const std::exception& problem) {
    std::cerr << "demo: " << problem.what() << '\n';
    return 1;
  }
  return 0;
}
