/// How two joined items become one by default.
#pragma once

#include <thalweg/version.hpp>

#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE::model {

struct as_pair {
  template <class L, class R>
  std::pair<std::remove_cvref_t<L>, std::remove_cvref_t<R>> operator()(L&& l, R&& r) const {
    return {std::forward<L>(l), std::forward<R>(r)};
  }
};

}  // namespace THALWEG_NAMESPACE::model
