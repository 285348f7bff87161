// What a peer must offer to be compared.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../support/cores.hpp"
#include "../support/program.hpp"

namespace micro {

/// One way to run one program: a peer with a setting.
struct contender {
  std::string peer;
  std::string setting;
  bool is_default = false;  ///< What a user gets who tunes nothing.
  std::function<std::uint64_t()>
      run;  ///< Runs the program once; gives the checksum of what came out, in order.
};

/// A library, or a way to write such programs, that runs the programs under all its settings.
class peer {
 public:
  peer() = default;
  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;
  virtual ~peer() = default;

  virtual std::string name() const = 0;

  virtual std::vector<contender> contenders(const even_farm&) const = 0;
  virtual std::vector<contender> contenders(const uneven_farm&) const = 0;
  virtual std::vector<contender> contenders(const fused_farm&) const = 0;
  virtual std::vector<contender> contenders(const sandwich_program&) const = 0;
  virtual std::vector<contender> contenders(const paced_program&) const = 0;
  virtual std::vector<contender> contenders(const stalling_program&) const = 0;
  virtual std::vector<contender> contenders(const frame_program&) const = 0;
};

}  // namespace micro
