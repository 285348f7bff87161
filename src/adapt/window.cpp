#include <thalweg/adapt/window.hpp>

#include <algorithm>

namespace THALWEG_NAMESPACE::adaptation {

double window::throughput() const noexcept {
  if (length.count() <= 0) return 0;
  std::uint64_t items = 0;
  for (const auto& s : stages) items += s.sink ? s.items_in : 0;
  return static_cast<double>(items) / std::chrono::duration<double>(length).count();
}

int window::working_ranks() const noexcept {
  const auto works = [](const rank_window& r) { return r.now == rank_window::state::working; };
  return std::max(1, static_cast<int>(std::count_if(ranks.begin(), ranks.end(), works)));
}

const stage_window* window::find(std::string_view name) const noexcept {
  const auto found =
      std::find_if(stages.begin(), stages.end(), [&](const stage_window& s) { return s.name == name; });
  return found != stages.end() ? &*found : nullptr;
}

}  // namespace THALWEG_NAMESPACE::adaptation
