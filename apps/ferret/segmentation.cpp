#include "apps/ferret/segmentation.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "apps/ferret/signature.hpp"

namespace apps::ferret {
namespace {

constexpr std::uint32_t scale = 16;  // of smoothed colours
constexpr std::uint32_t most_weight = 3 * 255 * scale;
constexpr std::uint32_t preference = 1500 * scale;  // for large regions: k in the paper
constexpr std::uint16_t none = 0xFFFF;              // a weight where the picture ends

}  // namespace

/// A Gaussian of deviation 1, nearly: 1 4 6 4 1, along lines and along columns. What lies outside is as its
/// border.
void segmenter::smooth(const picture& shown) {
  const auto stride = 3 * static_cast<std::ptrdiff_t>(width_);
  const auto last = static_cast<std::ptrdiff_t>(height_) - 1;
  lines_.resize(shown.rgb.size());
  smooth_.resize(shown.rgb.size());
  for (std::ptrdiff_t y = 0; y <= last; ++y) {
    const auto* from = shown.rgb.data() + y * stride;
    auto* to = lines_.data() + y * stride;
    const auto at = [&](std::ptrdiff_t i, std::ptrdiff_t pixels) {
      const auto moved = i + 3 * pixels;
      return int{from[moved < 0 ? i % 3 : moved >= stride ? stride - 3 + i % 3 : moved]};
    };
    const auto at_border = [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (auto i = begin; i < end; ++i)
        to[i] = static_cast<std::int16_t>(at(i, -2) + 4 * at(i, -1) + 6 * at(i, 0) + 4 * at(i, 1) + at(i, 2));
    };
    const auto inner = std::max<std::ptrdiff_t>(stride - 6, 6);
    at_border(0, std::min<std::ptrdiff_t>(6, stride));
    for (std::ptrdiff_t i = 6; i < inner; ++i)
      to[i] = static_cast<std::int16_t>(from[i - 6] + 4 * from[i - 3] + 6 * from[i] + 4 * from[i + 3] +
                                        from[i + 6]);
    at_border(inner, stride);
  }
  for (std::ptrdiff_t y = 0; y <= last; ++y) {
    const auto line = [&](std::ptrdiff_t i) {
      return lines_.data() + std::clamp<std::ptrdiff_t>(i, 0, last) * stride;
    };
    const auto *a = line(y - 2), *b = line(y - 1), *c = line(y), *d = line(y + 1), *e = line(y + 2);
    auto* to = smooth_.data() + y * stride;
    for (std::ptrdiff_t i = 0; i < stride; ++i)
      to[i] = static_cast<std::int16_t>((a[i] + 4 * b[i] + 6 * c[i] + 4 * d[i] + e[i]) / 16);
  }
}

/// By counting, as weights are small whole numbers.
void segmenter::sort_edges() {
  weights_.assign(4 * std::size_t{width_} * height_, none);
  starts_.assign(most_weight + 2, 0);
  for (std::uint32_t y = 0; y < height_; ++y) {
    for (std::uint32_t x = 0; x < width_; ++x) {
      const auto pixel = y * width_ + x;
      const auto* colour = &smooth_[3 * std::size_t{pixel}];
      const bool right = x + 1 < width_, below = y + 1 < height_, left = x > 0;
      const std::array<bool, 4> is_there{right, below, right && below, left && below};
      for (std::uint32_t way = 0; way < 4; ++way) {
        if (!is_there[way]) continue;
        const auto* other = &smooth_[3 * std::size_t{target_of(4 * pixel + way)}];
        const auto weight = static_cast<std::uint16_t>(
            std::abs(colour[0] - other[0]) + std::abs(colour[1] - other[1]) + std::abs(colour[2] - other[2]));
        weights_[4 * pixel + way] = weight;
        ++starts_[weight + 1U];
      }
    }
  }
  for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  edges_.resize(starts_.back());
  for (std::uint32_t edge = 0; edge < weights_.size(); ++edge)
    if (weights_[edge] != none) edges_[starts_[weights_[edge]]++] = edge;
}

std::uint32_t segmenter::target_of(std::uint32_t edge) const {
  const std::array<std::uint32_t, 4> ways{1, width_, width_ + 1, width_ - 1};
  return edge / 4 + ways[edge % 4];
}

std::uint32_t segmenter::root_of(std::uint32_t node) {
  while (nodes_[node].parent != node) {
    nodes_[node].parent = nodes_[nodes_[node].parent].parent;
    node = nodes_[node].parent;
  }
  return node;
}

std::uint32_t segmenter::join(std::uint32_t a, std::uint32_t b) {
  if (nodes_[a].size < nodes_[b].size) std::swap(a, b);
  nodes_[b].parent = a;
  nodes_[a].size += nodes_[b].size;
  --regions_;
  return a;
}

void segmenter::join_alike() {
  for (const auto edge : edges_) {
    const auto a = root_of(edge / 4);
    const auto b = root_of(target_of(edge));
    const std::uint32_t weight = weights_[edge];
    if (a == b || weight > nodes_[a].limit || weight > nodes_[b].limit) continue;
    auto& joined = nodes_[join(a, b)];
    joined.limit = weight + preference / joined.size;
  }
}

/// Joins regions smaller than `size` with others, and keeps the edges that are still between regions.
void segmenter::join_small(std::uint32_t size) {
  std::size_t kept = 0;
  for (const auto edge : edges_) {
    const auto a = root_of(edge / 4);
    const auto b = root_of(target_of(edge));
    if (a == b) continue;
    if (std::min(nodes_[a].size, nodes_[b].size) < size)
      join(a, b);
    else
      edges_[kept++] = edge;
  }
  edges_.resize(kept);
}

segments segmenter::operator()(const picture& shown) {
  width_ = shown.width;
  height_ = shown.height;
  const auto pixels = static_cast<std::uint32_t>(shown.pixels());
  regions_ = pixels;
  smooth(shown);
  sort_edges();
  nodes_.resize(pixels);
  for (std::uint32_t i = 0; i < pixels; ++i) nodes_[i] = {i, 1, preference};
  join_alike();
  auto size = std::max(pixels / 128, 2U);
  join_small(size);
  while (regions_ > most_regions) join_small(size += size / 4 + 1);

  segments made;
  made.region.resize(pixels);
  constexpr std::uint32_t unnamed = 0xFFFFFFFF;
  for (auto& node : nodes_) node.limit = unnamed;  // no longer needed: the root's name
  for (std::uint32_t i = 0; i < pixels; ++i) {
    auto& name = nodes_[root_of(i)].limit;
    if (name == unnamed) name = made.count++;
    made.region[i] = static_cast<std::uint8_t>(name);
  }
  return made;
}

}  // namespace apps::ferret
