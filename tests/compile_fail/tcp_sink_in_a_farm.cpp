// expect: tcp_sink, kafka_sink and mqtt_sink: replicas cannot share a connection
#include <thalweg/net/tcp.hpp>
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  tw::run(tw::source(std::vector{1}) | tw::tcp_sink<int>("localhost:9000"));
#ifdef WRONG
  tw::run(tw::source(std::vector{1}) | tw::farm(tw::tcp_sink<int>("localhost:9000")));
#endif
}
