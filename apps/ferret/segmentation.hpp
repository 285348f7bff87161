#pragma once

#include <cstdint>
#include <vector>

#include "apps/ferret/picture.hpp"

namespace apps::ferret {

/// Which region each pixel of a picture belongs to.
struct segments {
  std::vector<std::uint8_t> region;  ///< of each pixel, from 0 on, in the order of their first pixels
  std::uint32_t count = 0;           ///< 1 to `most_regions`
};

/// Divides a picture into regions of about one colour or texture: P. Felzenszwalb and D. Huttenlocher,
/// Efficient Graph-Based Image Segmentation (2004). Pixels are nodes, differences to the eight neighbours are
/// weights; in the order of the weights, two regions are joined if what is between them is hardly more than
/// what is within each. Small regions are then joined with their nearest neighbour, the more of them the more
/// regions there are. In whole numbers: the same on every machine.
///
/// Keeps its memory from one picture to the next; one for each thread.
class segmenter {
 public:
  segments operator()(const picture& shown);

 private:
  void smooth(const picture& shown);
  void sort_edges();
  void join_alike();
  void join_small(std::uint32_t size);
  std::uint32_t root_of(std::uint32_t node);
  std::uint32_t join(std::uint32_t a, std::uint32_t b);
  [[nodiscard]] std::uint32_t target_of(std::uint32_t edge) const;

  struct node {
    std::uint32_t parent;
    std::uint32_t size;
    std::uint32_t limit;  // weights up to this one join it
  };

  std::uint32_t width_ = 0;
  std::uint32_t height_ = 0;
  std::uint32_t regions_ = 0;
  std::vector<std::int16_t> lines_;   // smoothed along lines
  std::vector<std::int16_t> smooth_;  // and along columns: sixteenths
  std::vector<std::uint16_t> weights_;
  std::vector<std::uint32_t> edges_;  // by weight; four times the pixel, and the direction
  std::vector<std::uint32_t> starts_;
  std::vector<node> nodes_;
};

}  // namespace apps::ferret
