#pragma once

#include <cstdint>

#include "apps/ferret/signature.hpp"

namespace apps::ferret {

/// The earth mover's distance of two pictures: the least work that turns the weights of one into those of the
/// other, if to move a weight from one region to another costs their distance for each unit (Y. Rubner, C.
/// Tomasi and L. Guibas, The Earth Mover's Distance as a Metric for Image Retrieval, 2000). Times
/// `unit_weight`, and exact.
///
/// Solves the transportation problem by successive shortest paths with potentials (J. Edmonds and R. Karp,
/// 1972; N. Tomizawa, 1971), started as in R. Jonker and A. Volgenant, A Shortest Augmenting Path Algorithm
/// for Dense and Sparse Linear Assignment Problems (1987): with each column's least cost as its potential.
std::uint32_t earth_mover_distance(signature_view a, signature_view b);

}  // namespace apps::ferret
