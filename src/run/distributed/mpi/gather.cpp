#include "gather.hpp"

#include <thalweg/observe/clock.hpp>
#include <thalweg/observe/resources.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "collective.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

// The moment on rank 0's clock from which all traces count: when the first rank began.
std::int64_t first_begin(const run_state& run, const clocks& times, int rank, MPI_Comm comm) {
  const auto mine = run.statistics.began.ns - times.of(rank).ahead_ns;
  std::int64_t first = 0;
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &first, 1, MPI_INT64_T, MPI_MIN, comm, &r);
  wait_for(r);
  return first;
}

std::vector<std::byte> told(const run_state& run, const of_this_rank& mine, int rank, std::int64_t begin) {
  auto t = statistics_of(run, mine);
  if (auto* const trace = run.statistics.trace.of_whole_run()) {
    trace->as_process(rank, "rank " + std::to_string(rank) + " on " + t.host,
                      begin + mine.times->of(rank).ahead_ns);
    if (rank > 0) {
      t.trace = trace->events();
      t.trace_dropped = trace->dropped();
    }
  }
  std::vector<std::byte> bytes;
  encode(t, bytes);
  return bytes;
}

std::map<std::size_t, observe::histogram> latencies_of(const rank_statistics& t) {
  std::map<std::size_t, observe::histogram> all;
  for (std::size_t sink = 0; sink < t.latencies.size(); ++sink) {
    if (!t.latencies[sink].empty()) all[sink] = observe::histogram::from_words(t.latencies[sink]);
  }
  return all;
}

void add_up(std::vector<channel_totals>& sums, const std::vector<channel_totals>& more) {
  sums.resize(std::max(sums.size(), more.size()));
  for (std::size_t c = 0; c < more.size(); ++c) {
    auto& sum = sums[c];
    const auto& one = more[c];
    sum = {std::max(sum.from_stage, one.from_stage),  // 0 where the channel has no end
           std::max(sum.to_stage, one.to_stage),
           sum.messages + one.messages,
           sum.items + one.items,
           sum.bytes + one.bytes,
           sum.credits + one.credits,
           sum.blocked_ns + one.blocked_ns};
  }
}

void name_channels(const run_state& run, const std::vector<channel_totals>& sums,
                   run_statistics::elsewhere& all) {
  for (const auto& t : sums) {
    if (t.messages + t.credits == 0) continue;
    all.channels.push_back({run.stages[t.from_stage].info->name, run.stages[t.to_stage].info->name,
                            t.messages, t.items, t.bytes, t.credits, std::chrono::nanoseconds(t.blocked_ns)});
  }
}

// The shares of the ranks that execute a stage, if there are several.
void keep_ranks(observe::stage_shares& shares, const std::vector<int>& ranks) {
  if (ranks.size() < 2) {
    shares = {};
    return;
  }
  shares.by = observe::division::rank;
  std::erase_if(shares.all, [&](const auto& one) {
    return std::find(ranks.begin(), ranks.end(), one.number) == ranks.end();
  });
}

}  // namespace

void note_list::add(std::string what) {
  if (std::find(all_.begin(), all_.end(), what) == all_.end()) all_.push_back(std::move(what));
}

rank_statistics statistics_of(const run_state& run, const of_this_rank& mine) {
  auto counted = run.counters.snapshot();
  rank_statistics t;
  t.numbers = {observe::process_cpu_ns() - run.statistics.began.cpu_ns,
               observe::process_resources().peak_bytes,
               mine.others,
               run.statistics.workers.load(),
               mine.cores,
               static_cast<std::uint8_t>(counted.sampled ? 1 : 0),
               counted.work};
  t.host = name_of_host();
  t.latencies.resize(counted.stages.size());
  for (const auto& [sink, latency] : counted.latencies) t.latencies[sink] = latency.to_words();
  t.stages = std::move(counted.stages);
  t.channels = mine.channels;
  return t;
}

run_statistics::elsewhere summed(const run_state& run, const of_this_rank& mine,
                                 const std::vector<rank_statistics>& of_all) {
  run_statistics::elsewhere all;
  all.notes = mine.notes;
  std::vector<std::vector<int>> mapped;
  for (const auto& places : *mine.places) {
    auto& ranks = mapped.emplace_back();
    for (const auto& p : places) {
      if (p.replicas > 0) ranks.push_back(p.rank);
    }
  }
  all.ranks_of_stage.resize(mapped.size());
  all.shares.resize(mapped.size());
  std::vector<channel_totals> sums;
  std::map<std::string, int> cores_of_host;
  for (std::size_t r = 0; r < of_all.size(); ++r) {
    const auto& t = of_all[r];
    auto& cores = cores_of_host[t.host];
    cores = std::max(cores, t.numbers.cores);
    const auto& clock = mine.times->of(static_cast<int>(r));
    rank_report row{static_cast<int>(r),
                    t.host,
                    t.numbers.workers,
                    std::chrono::nanoseconds(t.numbers.cpu_ns),
                    t.numbers.peak_bytes,
                    0,
                    0,
                    0,
                    t.numbers.others,
                    std::chrono::nanoseconds(clock.ahead_ns),
                    std::chrono::nanoseconds(clock.off_ns),
                    std::chrono::nanoseconds(static_cast<int>(r) < mine.first_ranks ? 0 : mine.joined_ns),
                    std::chrono::nanoseconds(0)};
    for (const auto& one : t.channels) {
      row.messages += one.messages;
      row.bytes += one.bytes;
      row.credits += one.credits;
    }
    add_up(sums, t.channels);
    all.ranks.push_back(std::move(row));
    for (std::size_t i = 0; i < t.stages.size(); ++i) {
      if (t.stages[i].items_in > 0 || t.stages[i].items_out > 0)
        all.ranks_of_stage[i].push_back(static_cast<int>(r));
    }
    for (std::size_t i = 0; i < t.stages.size(); ++i) all.shares[i].at(static_cast<int>(r)).add(t.stages[i]);
    if (r == 0) continue;  // what is its own it has
    all.workers += t.numbers.workers;
    all.cpu_ns += t.numbers.cpu_ns;
    all.counted += {t.stages, t.numbers.work, latencies_of(t), t.numbers.sampled != 0};
  }
  for (const auto& [host, n] : cores_of_host) all.cores += n;
  // Where nothing has come to a stage, those that would have executed it.
  for (std::size_t i = 0; i < mapped.size(); ++i) {
    if (all.ranks_of_stage[i].empty()) all.ranks_of_stage[i] = std::move(mapped[i]);
  }
  for (std::size_t i = 0; i < all.shares.size(); ++i) keep_ranks(all.shares[i], all.ranks_of_stage[i]);
  name_channels(run, sums, all);
  return all;
}

void gather(run_state& run, const of_this_rank& mine, MPI_Comm comm) {
  const int rank = rank_in(comm);
  const auto begin = first_begin(run, *mine.times, rank, comm);
  auto of_all = gathered(told(run, mine, rank, begin), comm);
  if (rank != 0) return;

  std::vector<rank_statistics> all;
  for (std::size_t r = 0; r < of_all.size(); ++r) {
    auto& t = all.emplace_back(read_or_end(comm, [&] {
      return read_statistics(static_cast<int>(r), std::exchange(of_all[r], {}), run.stages.size());
    }));
    if (auto* const trace = run.statistics.trace.of_whole_run(); trace != nullptr && r > 0)
      trace->add_events(std::move(t.trace), t.trace_dropped);
  }
  run.statistics.learn(summed(run, mine, all));
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
