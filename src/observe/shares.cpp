// Among whom the work of a stage is divided, and what each of them has done.
#include <thalweg/observe/counters.hpp>

#include <algorithm>

namespace THALWEG_NAMESPACE::observe {

std::string_view to_string(division by) noexcept {
  switch (by) {
    case division::none:
      return "";
    case division::replica:
      return "replica";
    case division::key_part:
      return "part";
    case division::rank:
      return "rank";
  }
  return "";
}

void share_totals::add(const stage_totals& counted) noexcept {
  items += counted.items_in;
  service_ns += counted.service_ns;
  sampled_items += counted.sampled_items;
}

std::uint64_t share_totals::busy_ns() const noexcept {
  if (sampled_items == 0) return 0;
  if (sampled_items >= items) return service_ns;
  return static_cast<std::uint64_t>(static_cast<double>(service_ns) / static_cast<double>(sampled_items) *
                                    static_cast<double>(items));
}

share_totals& stage_shares::at(int number) {
  const auto found = std::ranges::lower_bound(all, number, {}, &share_totals::number);
  if (found != all.end() && found->number == number) return *found;
  return *all.insert(found, {number});
}

stage_shares stage_shares::since(const stage_shares& earlier) const {
  const auto difference = [](std::uint64_t now, std::uint64_t before) {
    return now > before ? now - before : 0;
  };
  auto window = *this;
  if (earlier.by != by) return window;
  for (auto& one : window.all) {
    const auto before = std::ranges::lower_bound(earlier.all, one.number, {}, &share_totals::number);
    if (before == earlier.all.end() || before->number != one.number) continue;
    one.items = difference(one.items, before->items);
    one.service_ns = difference(one.service_ns, before->service_ns);
    one.sampled_items = difference(one.sampled_items, before->sampled_items);
  }
  return window;
}

}  // namespace THALWEG_NAMESPACE::observe
