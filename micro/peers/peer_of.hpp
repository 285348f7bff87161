// Makes a peer of an engine, so that a peer's file shows only how that library is used.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "chunked.hpp"
#include "peer.hpp"

namespace micro {

/// The part every engine's settings share.
struct common_setting {
  std::string label;
  bool is_default = false;
  std::size_t chunk = 1;  ///< Items per hand-made chunk.
};

/// `Engine` has `name`, `settings()` (derived from `common_setting`) and the two templates
///   farm(setting, source, work, sink)                     source | farm(work) | sink
///   sandwich(setting, source, first, middle, second, sink) source | farm(first) | map(middle) | farm(second)
///   | sink
/// for any item type.
template <class Engine> class peer_of final : public peer {
 public:
  std::string name() const override { return Engine::name; }
  std::vector<contender> contenders(const even_farm& program) const override { return of(program); }
  std::vector<contender> contenders(const uneven_farm& program) const override { return of(program); }
  std::vector<contender> contenders(const fused_farm& program) const override { return of(program); }
  std::vector<contender> contenders(const sandwich_program& program) const override { return of(program); }
  // A hand-made chunk would hold items back until it is full, so timed programs are run without.
  std::vector<contender> contenders(const paced_program& program) const override { return of(program, 1); }
  std::vector<contender> contenders(const stalling_program& program) const override { return of(program, 1); }
  std::vector<contender> contenders(const frame_program& program) const override { return of(program, 1); }

 private:
  using setting = decltype(Engine::settings())::value_type;

  template <class Program>
  static std::vector<contender> of(const Program& program, std::size_t longest_chunk = 1'000'000) {
    std::vector<contender> result;
    for (const setting& s : Engine::settings()) {
      if (s.chunk > longest_chunk) continue;
      result.push_back({Engine::name, s.label, s.is_default, [s, program] { return run(s, program); }});
    }
    return result;
  }

  template <class Work> static std::uint64_t run(const setting& s, const farm_program<Work>& program) {
    counter source{0, program.items};
    checksum sink;
    if (s.chunk == 1) {
      Engine::farm(s, source, program.work, sink);
    } else {
      chunked_source chunks{source, s.chunk};
      chunked_sink chunk_sink{sink};
      Engine::farm(s, chunks, chunked_stage{program.work}, chunk_sink);
    }
    return sink.value();
  }

  static std::uint64_t run(const setting& s, const sandwich_program& program) {
    counter source{0, program.items};
    running_sum middle{program.middle};
    checksum sink;
    if (s.chunk == 1) {
      Engine::sandwich(s, source, program.first, middle, program.second, sink);
    } else {
      chunked_source chunks{source, s.chunk};
      chunked_stage middle_chunks{middle};
      chunked_sink chunk_sink{sink};
      Engine::sandwich(s, chunks, chunked_stage{program.first}, middle_chunks, chunked_stage{program.second},
                       chunk_sink);
    }
    return sink.value();
  }

  static std::uint64_t run(const setting& s, const frame_program& program) {
    camera source{program.items, program.bytes};
    slow_sink sink{program.per_frame};
    Engine::farm(s, source, frame_work{}, sink);
    return sink.value();
  }

  template <class Source> static std::uint64_t run(const setting& s, const timed_program<Source>& program) {
    program.seen->expect(program.items);
    Source source = program.source;
    arrival_sink sink{*program.seen};
    Engine::farm(s, source, program.work, sink);
    return sink.value();
  }
};

}  // namespace micro
