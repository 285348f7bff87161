// Ports that come and go: somebody looks into a stream while it flows, and corrects it.
//
//     meter --> tee --> merge --> log
//                \~~~> an engineer connects, sees what is wrong, sends a correction ~~~> merge
//
// `tee.tap()` opens a branch while the graph runs, `merge.feed()` an input. A reader that is too slow misses
// readings (`tw::drop_old`) and holds up nobody. Both are closed when they go out of scope; the stream flows
// on without them. A tap is a source for any other run and a feed a sink: here the second engineer is one.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <iostream>
#include <optional>
#include <thread>

namespace tw = thalweg;

struct reading {
  long number = 0;
  bool corrected = false;
};

int main() {
  const auto read_meter = [n = 0L]() mutable { return std::optional(reading{n++}); };
  std::atomic<long> corrections{0};

  tw::graph g;
  auto& tee = g.add<tw::tee<reading>>();
  auto& all = g.add<tw::merge<reading>>();
  g.connect(g.add(tw::source(read_meter)).out, tee.in);
  g.connect(tee.branch(), all.input());
  g.connect(all.out, g.add(tw::sink([&](const reading& r) { corrections += r.corrected ? 1 : 0; })).in);
  auto run = tw::launch(g);

  {
    tw::tap<reading> look = tee.tap({.capacity = 10, .when_full = tw::drop_old});
    tw::feed<reading> correct = all.feed();
    for (int i = 0; i < 5; ++i) correct.send({look.receive()->number, true});
  }  // the first engineer goes

  auto second =
      tw::launch(tw::source(tee.tap({.capacity = 10, .when_full = tw::drop_old})) |
                 tw::filter([](const reading& r) { return r.number % 7 == 0; }) | tw::map([](reading r) {
                   return reading{r.number, true};
                 }) |
                 tw::sink(all.feed()));
  while (second.stats().items() < 5) std::this_thread::yield();
  second.stop();
  const auto sent = static_cast<long>(second.wait().items());

  run.stop();
  const auto end = run.wait();
  std::cout << end.items() << " readings, " << corrections << " of them corrections\n";
  return corrections == 5 + sent ? 0 : 1;
}
