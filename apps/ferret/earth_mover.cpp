#include "apps/ferret/earth_mover.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace apps::ferret {
namespace {

constexpr std::int32_t infinite = std::numeric_limits<std::int32_t>::max() / 2;
constexpr std::uint8_t none = 0xFF;

/// One problem: rows supply what columns demand.
class transport {
 public:
  transport(signature_view a, signature_view b) : rows_(a.regions.size()), columns_(b.regions.size()) {
    for (std::size_t j = 0; j < columns_; ++j) {
      demand_[j] = b.weights[j];
      column_[j] = infinite;
    }
    for (std::size_t i = 0; i < rows_; ++i) {
      supply_[i] = a.weights[i];
      row_[i] = 0;
      for (std::size_t j = 0; j < columns_; ++j) {
        flow_[i][j] = 0;
        cost_[i][j] = distance(a.regions[i], b.regions[j]);
        column_[j] = std::min(column_[j], cost_[i][j]);
      }
    }
  }

  std::uint32_t solve() {
    supply_directly();
    for (std::size_t i = 0; i < rows_; ++i)
      while (supply_[i] > 0) supply_along(i);
    std::int32_t work = 0;
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < columns_; ++j) work += flow_[i][j] * cost_[i][j];
    return static_cast<std::uint32_t>(work);
  }

 private:
  using line = std::array<std::int32_t, most_regions>;

  std::int32_t reduced(std::size_t i, std::size_t j) const { return cost_[i][j] - row_[i] - column_[j]; }

  void move(std::size_t i, std::size_t j, std::int32_t amount) {
    flow_[i][j] += amount;
    supply_[i] -= amount;
    demand_[j] -= amount;
  }

  /// As much as possible where nothing can be cheaper.
  void supply_directly() {
    for (std::size_t i = 0; i < rows_; ++i) {
      row_[i] = infinite;
      for (std::size_t j = 0; j < columns_; ++j) row_[i] = std::min(row_[i], cost_[i][j] - column_[j]);
      for (std::size_t j = 0; j < columns_; ++j)
        if (reduced(i, j) == 0) move(i, j, std::min(supply_[i], demand_[j]));
    }
  }

  /// Finds the cheapest way (Dijkstra's) from a row to a column that still needs something, over other rows
  /// that give theirs up, and moves as much along it as it takes.
  void supply_along(std::size_t start) {
    line to_column, to_row;
    std::array<std::uint8_t, most_regions> from_row, from_column;
    std::array<bool, most_regions> done{};
    from_column.fill(none);
    for (std::size_t j = 0; j < columns_; ++j) {
      to_column[j] = reduced(start, j);
      from_row[j] = static_cast<std::uint8_t>(start);
    }
    to_row[start] = 0;
    std::uint32_t reached = 1U << start;
    std::size_t end = 0;
    while (true) {
      std::int32_t nearest = infinite;
      for (std::size_t j = 0; j < columns_; ++j) {
        if (done[j] || to_column[j] >= nearest) continue;
        nearest = to_column[j];
        end = j;
      }
      if (demand_[end] > 0) break;
      done[end] = true;
      for (std::size_t i = 0; i < rows_; ++i) {
        if (flow_[i][end] == 0 || (reached >> i & 1U) != 0) continue;
        reached |= 1U << i;
        to_row[i] = nearest;
        from_column[i] = static_cast<std::uint8_t>(end);
        for (std::size_t j = 0; j < columns_; ++j) {
          const auto over = nearest + reduced(i, j);
          if (done[j] || over >= to_column[j]) continue;
          to_column[j] = over;
          from_row[j] = static_cast<std::uint8_t>(i);
        }
      }
    }
    // No reduced cost becomes negative, and those along the way become 0.
    const auto length = to_column[end];
    for (std::size_t i = 0; i < rows_; ++i)
      if ((reached >> i & 1U) != 0) row_[i] += length - to_row[i];
    for (std::size_t j = 0; j < columns_; ++j)
      if (done[j]) column_[j] -= length - to_column[j];

    auto amount = std::min(supply_[start], demand_[end]);
    for (std::size_t j = end, i = from_row[j]; i != start; i = from_row[j]) {
      j = from_column[i];
      amount = std::min(amount, flow_[i][j]);
    }
    supply_[start] -= amount;
    demand_[end] -= amount;
    for (std::size_t j = end, i = from_row[j];; i = from_row[j]) {
      flow_[i][j] += amount;
      if (i == start) break;
      j = from_column[i];
      flow_[i][j] -= amount;
    }
  }

  std::size_t rows_, columns_;
  std::array<line, most_regions> cost_, flow_;
  line supply_, demand_;
  line row_, column_;  // potentials
};

}  // namespace

std::uint32_t earth_mover_distance(signature_view a, signature_view b) {
  return transport(a, b).solve();
}

}  // namespace apps::ferret
