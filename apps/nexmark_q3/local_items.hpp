#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apps/nexmark/query.hpp"
#include "apps/nexmark/workload.hpp"

namespace apps::nexmark_q3 {

/// Whether people of a state are wanted.
inline bool is_local(std::string_view state) {
  return state == "OR" || state == "ID" || state == "CA";
}
inline constexpr std::uint64_t category = 10;

/// Query 3: an auction of the category whose seller is local, as soon as both are known.
class local_items final : public nexmark::query {
 public:
  explicit local_items(const nexmark::workload& /*of*/) {}
  void take(const nexmark::event& of, std::vector<std::string>& results) override;
  void end(std::vector<std::string>& /*results*/) override {}

 private:
  struct seller {
    std::shared_ptr<const nexmark::person> who;
    std::vector<std::uint64_t> waiting;  // auctions, until it is known who sells
  };
  std::unordered_map<std::uint64_t, seller> sellers_;
};

}  // namespace apps::nexmark_q3
