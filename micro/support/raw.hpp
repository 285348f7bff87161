// What the machine really gives: as many bare threads as cores, each running its share of the loop.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "../peers/peer.hpp"
#include "program.hpp"

namespace micro {

/// Calls `share(k)` for k in [0, cores) at the same time, one of them on the calling thread.
template <class Share> void on_all_cores(const Share& share) {
  std::vector<std::jthread> others;
  for (int k = 1; k < cores(); ++k) others.emplace_back([&share, k] { share(k); });
  share(0);
}

/// Equal shares, for work that is the same for each item.
template <class Work> contender raw(const farm_program<Work>& program) {
  return {"raw", "equal shares", true, [program] {
            const auto parts = static_cast<std::uint64_t>(cores());
            std::vector<checksum> sums(parts);
            on_all_cores([&](int k) {
              const auto part = static_cast<std::uint64_t>(k);
              counter source{program.items * part / parts, program.items * (part + 1) / parts};
              checksum sum;
              run_loop(source, program.work, sum);
              sums[part] = sum;
            });
            for (std::uint64_t part = 1; part < parts; ++part) sums[0].join(sums[part]);
            return sums[0].value();
          }};
}

/// The ideal for uneven work: the bare threads take the items one by one from a shared counter, write the
/// results where they belong, and one thread folds them at the end. Nothing shared but the counter, no order
/// to keep.
inline contender raw(const uneven_farm& program) {
  return {"raw", "taking turns at a counter", true, [program] {
            const auto results = std::make_unique_for_overwrite<std::uint64_t[]>(program.items);
            std::atomic<std::uint64_t> next{0};
            on_all_cores([&](int) {
              for (auto i = next.fetch_add(1); i < program.items; i = next.fetch_add(1)) {
                results[i] = program.work(i + 1);
              }
            });
            checksum sum;
            for (std::uint64_t i = 0; i < program.items; ++i) sum(results[i]);
            return sum.value();
          }};
}

/// The plain sequential loop.
template <class Work> contender loop(const farm_program<Work>& program) {
  return {"loop", "one thread", true, [program] {
            counter source{0, program.items};
            checksum sink;
            run_loop(source, program.work, sink);
            return sink.value();
          }};
}

/// What the checksum of a program whose items are timed must be: the same values, in the same order.
template <class Source> std::uint64_t expected_of(const timed_program<Source>& program) {
  return loop(even_farm{program.items, program.work.work}).run();
}

inline contender loop(const sandwich_program& program) {
  return {"loop", "one thread", true, [program] {
            counter source{0, program.items};
            running_sum middle{program.middle};
            checksum sink;
            const auto work = [&](std::uint64_t x) { return program.second(middle(program.first(x))); };
            run_loop(source, work, sink);
            return sink.value();
          }};
}

}  // namespace micro
