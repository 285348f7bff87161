#pragma once

#include <optional>
#include <string>

#include "spb/detail/sampler.hpp"

namespace spb::detail {

/// For who has started a program by hand: how far the stream is and how fast, once a second on one line of
/// the terminal, while it lives. It reads what is counted anyway.
class progress : public sampler {
 public:
  explicit progress(std::string program);
  ~progress() override;

 private:
  void add() override;

  const std::string program_;
  std::optional<sample> first_, before_;
};

}  // namespace spb::detail
