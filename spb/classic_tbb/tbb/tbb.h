/// All of oneTBB, and what TBB had before it: `tbb::filter` is the latter's. What is a template of oneTBB
/// under this name has another one here, which functions hide that give and take it.
#pragma once

// What the header below needs itself, so that nothing else is renamed.
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <oneapi/tbb/task_group.h>

#define filter filter_of_onetbb
#include <oneapi/tbb/parallel_pipeline.h>
#undef filter

#include <oneapi/tbb.h>

#include "spb/classic_tbb/tbb/pipeline.h"
#include "spb/classic_tbb/tbb/task_scheduler_init.h"

namespace tbb {

template <class Input, class Output> using filter_t = filter_of_onetbb<Input, Output>;

template <class Input, class Output, class Body>
filter_of_onetbb<Input, Output> make_filter(filter::mode mode, const Body& body) {
  const auto same = mode == filter::parallel          ? filter_mode::parallel
                    : mode == filter::serial_in_order ? filter_mode::serial_in_order
                                                      : filter_mode::serial_out_of_order;
  return make_filter<Input, Output>(same, body);
}

}  // namespace tbb
