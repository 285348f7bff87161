#include "registry.hpp"

namespace micro {

registry::registry() {
#if MICRO_HAS_TBB
  peers_.push_back(make_tbb());
#else
  missing_.push_back({"oneTBB", "install libtbb-dev"});
#endif
#if MICRO_HAS_FASTFLOW
  peers_.push_back(make_fastflow());
#else
  missing_.push_back({"FastFlow", "fetch its sources and give their folder: --peer-path FASTFLOW=DIR"});
#endif
#if MICRO_HAS_TASKFLOW
  peers_.push_back(make_taskflow());
#else
  missing_.push_back({"Taskflow", "fetch its sources and give their folder: --peer-path TASKFLOW=DIR"});
#endif
#if MICRO_HAS_OPENMP
  peers_.push_back(make_openmp());
#else
  missing_.push_back(
      {"OpenMP tasks", "compile with GCC, or install the OpenMP runtime of your compiler (libomp-dev)"});
#endif
  peers_.push_back(make_hand_written());
}

}  // namespace micro
