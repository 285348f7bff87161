#include "spb/primes.hpp"

#include <string>
#include <vector>

#include "apps/primes/operator_names.hpp"
#include "apps/primes/primes.hpp"
#include "spb/detail/elements.hpp"
#include "spb/detail/plain_stream.hpp"

// What travels of an element: what the source fills.
template <>
struct thalweg::codec<apps::primes::candidate> : thalweg::codec_of_members<&apps::primes::candidate::number> {
};

namespace spb {
namespace {

namespace primes = apps::primes;

using enum primes::operation;

detail::plain_stream<Item, detail::elements<primes::source>, primes::sink> current;

primes::source source_of(const detail::options& /*asked*/, const detail::places& where) {
  return primes::source(apps::read_range(detail::file_of(where, apps::range_file)));
}

std::vector<std::string> open(const detail::options& asked, const detail::places& where) {
  const auto range = apps::read_range(detail::file_of(where, apps::range_file));
  current.open(detail::elements_of(where, [&] { return source_of(asked, where); }), where.output, range);
  return primes::about().operators;
}

}  // namespace

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &primes::about(),
                 .open = open,
                 .play = detail::play_source<source_of>,
                 .complete = [] { current.complete(); },
                 .discard = [] { current.discard(); }});
}

bool Source::take(detail::feed& by, Item& item) {
  return current.take(by, item);
}
void Primality::op(Item& item) {
  detail::work_on_each(primality_op, item, primes::primality);
}
void Sink::op(Item& item) {
  current.write(sink_op, item);
}

}  // namespace spb
