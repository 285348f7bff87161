#include <nexmark_q11.hpp>

#include "bench/support/user_sessions.hpp"

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  user_sessions(sessions_of_bidder());
  spb::Metrics::stop();
  spb::end_bench();
}
