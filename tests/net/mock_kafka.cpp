// A Kafka broker that is none, for tests of programs: says where it is, and ends when its input does.
#include <cstdio>

#include "mock_cluster.hpp"

int main() {
  const mock_cluster brokers;
  std::printf("%s\n", brokers.where().c_str());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
}
