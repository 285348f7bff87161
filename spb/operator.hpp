#pragma once

namespace spb {

/// What the operators of all applications have besides their static `op(item)`: objects of them can be made,
/// with an item even to be worked on at once, and derived from.
template <class Self, class Item> class Operator {
 public:
  Operator() = default;
  explicit Operator(Item& item) { Self::op(item); }
  virtual ~Operator() = default;
};

}  // namespace spb
