#include "registry.hpp"

namespace micro {

registry::registry() {
#if MICRO_HAS_TBB
  peers_.push_back(make_tbb());
  graph_peers_.push_back(make_tbb_graphs());
#else
  missing_.push_back({"oneTBB", "install libtbb-dev"});
#endif
#if MICRO_HAS_FASTFLOW
  peers_.push_back(make_fastflow());
  graph_peers_.push_back(make_fastflow_graphs());
#else
  missing_.push_back({"FastFlow", "fetch its sources and give their folder: --peer-path FASTFLOW=DIR"});
#endif
#if MICRO_HAS_TASKFLOW
  peers_.push_back(make_taskflow());
  graph_peers_.push_back(make_taskflow_graphs());
#else
  missing_.push_back({"Taskflow", "fetch its sources and give their folder: --peer-path TASKFLOW=DIR"});
#endif
#if MICRO_HAS_OPENMP
  peers_.push_back(make_openmp());
#else
  missing_.push_back(
      {"OpenMP tasks", "compile with GCC, or install the OpenMP runtime of your compiler (libomp-dev)"});
#endif
#if MICRO_HAS_WINDFLOW
  graph_peers_.push_back(make_windflow());
#else
  missing_.push_back({"WindFlow",
                      "fetch its sources, and FastFlow's, and give their folders: --peer-path "
                      "WINDFLOW=DIR"});
#endif
  peers_.push_back(make_hand_written());
}

}  // namespace micro
