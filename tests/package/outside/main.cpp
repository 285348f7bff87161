#include <thalweg/thalweg.hpp>
#ifdef OUTSIDE_HAS_COMPRESSION
#include <thalweg/stages/compression.hpp>
#endif
#ifdef OUTSIDE_HAS_KAFKA
#include <thalweg/net/kafka.hpp>
#endif
#ifdef OUTSIDE_HAS_LIVE
#include <thalweg/live/server.hpp>
#endif
#ifdef OUTSIDE_HAS_MQTT
#include <thalweg/net/mqtt.hpp>
#endif
#ifdef OUTSIDE_HAS_WEB
#include <thalweg/net/http.hpp>
#endif
#ifdef OUTSIDE_HAS_TLS
#include <thalweg/net/tls.hpp>
#endif
#ifdef OUTSIDE_HAS_MPI
#include <thalweg/run/mpi.hpp>
#endif

#include <optional>
#ifdef OUTSIDE_HAS_WEB
#include <string>
#endif
#include <vector>

namespace tw = thalweg;

int main([[maybe_unused]] int argc, [[maybe_unused]] char** argv) {
#ifdef OUTSIDE_HAS_COMPRESSION
  if (!tw::gzip().problem().empty() || tw::gzip(10).problem().empty()) return 1;
#endif
#ifdef OUTSIDE_HAS_KAFKA
  if (tw::kafka_topic{"localhost", "no topic"}.problem().empty()) return 1;
#endif
#ifdef OUTSIDE_HAS_LIVE
  auto one = tw::source(std::vector{1}) | tw::sink([](int) {});
  const tw::live::server page(tw::launch(one), {.announce = false});
  if (page.port() == 0 || page.wait().items() != 1) return 1;
#endif
#ifdef OUTSIDE_HAS_MQTT
  if (tw::mqtt_topic{.host = "localhost", .topic = "a/#"}.problem_of_sink().empty()) return 1;
#endif
#ifdef OUTSIDE_HAS_TLS
  if (!tw::tls_token("a token that nobody guesses")) return 1;
#endif
#ifdef OUTSIDE_HAS_WEB
  try {
    tw::run(tw::http_lines("no address") | tw::sink([](const std::string&) {}));
    return 1;
  } catch (const tw::invalid_job&) {
  }
#endif
  long sum = 0;
  auto numbers = [n = 0]() mutable { return n < 1000 ? std::optional(n++) : std::nullopt; };
  auto job = tw::source(numbers) | tw::farm([](int x) { return 2 * x; }) | tw::sink([&](int x) { sum += x; });
#ifdef OUTSIDE_HAS_MPI
  if (argc > 1) return tw::run(job, tw::mpi{argc, argv}).items() == 1000 ? 0 : 1;  // under mpiexec
#endif
  return tw::run(job).items() == 1000 && sum == 999'000 ? 0 : 1;
}
