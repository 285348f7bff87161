// Thalweg's graphs, keys and windows under each policy, with the options a user gets who sets none.
#include <thalweg/thalweg.hpp>

#include <utility>

#include "graph_peer.hpp"
#include "registry.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

/// Pairs the items of two inputs.
template <class T, class Join> struct joiner final : tw::stage {
  tw::in<T> left{this, "left"};
  tw::in<T> right{this, "right"};
  tw::out<T> both{this, "both"};

  explicit joiner(Join j) : join(std::move(j)) {}
  void on_run() override {
    while (left.available() && right.available()) both.send(join(left.take(), right.take()));
    if (left.ended() || right.ended()) end();
  }

  Join join;
};

template <class Policy> struct graph_engine {
  static constexpr auto name = "thalweg";

  template <class Program> static std::vector<common_setting> settings(const Program&) {
    return {{tw::any_policy(Policy{}).name(), true}};
  }

  template <bool Ordered, class Source, class Work, class Sink>
  static void fan(const common_setting&, Source& source, const Work& work, Sink& sink) {
    using item = item_of<Source>;
    tw::graph g;
    auto& split = g.add<tw::split<item>>();
    auto& merge = g.add<tw::merge<item>>(Ordered ? tw::ordered : tw::first_come);
    g.connect(g.add(tw::source([&] { return source(); })).out, split.in);
    for (int i = 0; i < branches; ++i) {
      const auto map = g.add(tw::map([&work](item x) { return work(std::move(x)); }));
      g.connect(split.branch(), map.in);
      g.connect(map.out, merge.input());
    }
    g.connect(merge.out, g.add(tw::sink([&](item x) { sink(std::move(x)); })).in);
    tw::run(g, Policy{});
  }

  template <class Source, class Left, class Right, class Join, class Sink>
  static void diamond(const common_setting&, Source& source, const Left& left, const Right& right, Join join,
                      Sink& sink) {
    using item = item_of<Source>;
    tw::graph g;
    auto& tee = g.add<tw::tee<item>>();
    auto& both = g.add<joiner<item, Join>>(join);
    const auto left_map = g.add(tw::map([&left](item x) { return left(std::move(x)); }));
    const auto right_map = g.add(tw::map([&right](item x) { return right(std::move(x)); }));
    g.connect(g.add(tw::source([&] { return source(); })).out, tee.in);
    g.connect(tee.branch(), left_map.in);
    g.connect(tee.branch(), right_map.in);
    g.connect(left_map.out, both.left);
    g.connect(right_map.out, both.right);
    g.connect(both.both, g.add(tw::sink([&](item x) { sink(std::move(x)); })).in);
    tw::run(g, Policy{});
  }

  template <class Source, class Sink> static void keyed(const common_setting&, Source& source, Sink& sink) {
    tw::run(tw::source([&] { return source(); }) |
                tw::key_by(&event::key, [](account& a, const event& e) { return a(e.value); }) |
                tw::sink([&](std::uint64_t state) { sink(state); }),
            Policy{});
  }

  template <class Source, class Sink>
  static void windows(const common_setting&, std::uint32_t keys, Source& source, Sink& sink) {
    using std::chrono::nanoseconds;
    using sum = tw::windowed<std::uint64_t>;
    const auto sums = tw::window(tw::sliding(nanoseconds(window_size), nanoseconds(window_slide)),
                                 tw::sum_of(&reading::value), tw::event_time(&reading::time));
    const auto begin = tw::source([&] { return source(); });
    if (keys == 1) {
      tw::run(begin | sums | tw::sink([&](const sum& w) { sink(0, w.begin, w.value); }), Policy{});
    } else {
      tw::run(
          begin | tw::key_by(&reading::key) | sums | tw::sink([&](const tw::keyed<std::uint32_t, sum>& w) {
            sink(w.key, w.value.begin, w.value.value);
          }),
          Policy{});
    }
  }
};

}  // namespace

std::unique_ptr<graph_peer> make_thalweg_graphs() {
  return std::make_unique<graph_peer_of<graph_engine<tw::pool>>>();
}
std::unique_ptr<graph_peer> make_thalweg_graphs_sequential() {
  return std::make_unique<graph_peer_of<graph_engine<tw::sequential>>>();
}
std::unique_ptr<graph_peer> make_thalweg_graphs_threads() {
  return std::make_unique<graph_peer_of<graph_engine<tw::threads>>>();
}

}  // namespace micro
