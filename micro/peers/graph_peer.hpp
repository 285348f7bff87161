// What a peer offers that runs graphs, keys or windows; each offers what it has.
#pragma once

#include <string>
#include <vector>

#include "../support/shapes.hpp"
#include "chunked.hpp"
#include "peer_of.hpp"

namespace micro {

/// A library that runs some of the programs that are more than a line. Of what it cannot do it has no
/// contenders.
class graph_peer {
 public:
  graph_peer() = default;
  graph_peer(const graph_peer&) = delete;
  graph_peer& operator=(const graph_peer&) = delete;
  virtual ~graph_peer() = default;

  virtual std::string name() const = 0;

  virtual std::vector<contender> contenders(const fan_program&) const = 0;
  virtual std::vector<contender> contenders(const ordered_fan_program&) const = 0;
  virtual std::vector<contender> contenders(const diamond_program&) const = 0;
  virtual std::vector<contender> contenders(const keyed_program&) const = 0;
  virtual std::vector<contender> contenders(const windows_program&) const = 0;
};

/// A stage for pairs of chunks made of one for pairs of items.
template <class Join> struct chunked_join {
  Join join;

  template <class Item>
  std::vector<Item> operator()(std::vector<Item> left, const std::vector<Item>& right) const {
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = join(left[i], right[i]);
    return left;
  }
};

/// `Engine` has `name` and, for each program it can run, `settings(program)` (derived from `common_setting`)
/// and
///   fan<ordered>(setting, source, work, sink)              branches with `work`, merged
///   diamond(setting, source, left, right, join, sink)      tee, two maps, join
/// for any item type,
///   keyed(setting, source, sink)                           an `account` for each key; sink(state)
///   windows(setting, keys, source, sink)                   sliding sums; sink(key, begin, sum)
template <class Engine> class graph_peer_of final : public graph_peer {
 public:
  std::string name() const override { return Engine::name; }
  std::vector<contender> contenders(const fan_program& program) const override { return of(program); }
  std::vector<contender> contenders(const ordered_fan_program& program) const override { return of(program); }
  std::vector<contender> contenders(const diamond_program& program) const override { return of(program); }
  std::vector<contender> contenders(const keyed_program& program) const override { return of(program); }
  std::vector<contender> contenders(const windows_program& program) const override { return of(program); }

 private:
  template <class Program> static std::vector<contender> of(const Program& program) {
    std::vector<contender> result;
    if constexpr (requires { Engine::settings(program); }) {
      for (const auto& s : Engine::settings(program)) {
        result.push_back({Engine::name, s.label, s.is_default, [s, program] { return run(s, program); }});
      }
    }
    return result;
  }

  template <class Setting, class Sum> static std::uint64_t run(const Setting& s, const fan_of<Sum>& program) {
    constexpr bool ordered = fan_of<Sum>::ordered;
    counter source{0, program.items};
    Sum sink;
    if (s.chunk == 1) {
      Engine::template fan<ordered>(s, source, program.work, sink);
    } else {
      chunked_source chunks{source, s.chunk};
      chunked_sink chunk_sink{sink};
      Engine::template fan<ordered>(s, chunks, chunked_stage{program.work}, chunk_sink);
    }
    return sink.value();
  }

  template <class Setting> static std::uint64_t run(const Setting& s, const diamond_program& program) {
    counter source{0, program.items};
    checksum sink;
    if (s.chunk == 1) {
      Engine::diamond(s, source, program.left, program.right, pair_up{}, sink);
    } else {
      chunked_source chunks{source, s.chunk};
      chunked_sink chunk_sink{sink};
      Engine::diamond(s, chunks, chunked_stage{program.left}, chunked_stage{program.right},
                      chunked_join<pair_up>{}, chunk_sink);
    }
    return sink.value();
  }

  template <class Setting> static std::uint64_t run(const Setting& s, const keyed_program& program) {
    replay<event> source{*program.input, program.items};
    multiset_sum sink;
    Engine::keyed(s, source, sink);
    return sink.value();
  }

  template <class Setting> static std::uint64_t run(const Setting& s, const windows_program& program) {
    replay<reading> source{*program.input, program.items};
    window_digest sink;
    Engine::windows(s, program.keys, source, sink);
    return sink.value();
  }
};

}  // namespace micro
