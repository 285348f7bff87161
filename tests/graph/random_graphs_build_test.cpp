// How random graphs are built of typed pieces.
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_graphs/build.hpp"
#include "support/random_graphs/description.hpp"
#include "support/random_graphs/operators.hpp"
#include "support/random_graphs/oracle.hpp"

namespace random_graphs {

namespace {

class builder {
 public:
  builder(std::shared_ptr<witness> run, tw::graph& g) : run_(std::move(run)), g_(g), l_(run_->described) {}

  void build() {
    inputs_.resize(l_.nodes.size());
    outputs_.resize(l_.nodes.size());
    for (std::size_t i = 0; i < l_.nodes.size(); ++i) add(i);
    for (const auto& s : l_.streams) {
      g_.connect(std::string_view(outputs_[s.from].at(s.from_port)),
                 std::string_view(inputs_[s.to].at(s.to_port)), capacity_of(l_.nodes[s.to].how));
    }
  }

 private:
  static tw::connect_options capacity_of(const step& s) {
    tw::connect_options o;
    if (s.capacity > 0) o.capacity = s.capacity;
    return o;
  }

  template <class Op> Op make(std::size_t number) const { return Op{{run_, number}}; }

  tw::options farm_options(const step& s, const std::string& name) const {
    tw::options o{.replicas = s.replicas, .unordered = s.unordered, .name = name};
    if (s.schedule == 1) o.schedule = tw::round_robin;
    if (s.schedule == 2)
      o.schedule = tw::route([](const item& x, std::size_t) { return static_cast<std::size_t>(x.value); });
    return o;
  }

  // A line with one input and one output.
  template <class Line> void line(std::size_t number, Line made) {
    const auto name = l_.nodes[number].name(number);
    g_.add<item>(std::move(made));
    inputs_[number] = {name + ".in"};
    outputs_[number] = {name + ".out"};
  }

  void add(std::size_t number) {
    const auto& n = l_.nodes[number];
    const auto& s = n.how;
    const auto name = n.name(number);
    const tw::options named{.name = name};
    const auto later = [&](const char* part) { return tw::options{.name = name + "-" + part}; };
    const auto mapper_of = [&] { return make<mapper>(number); };
    const probe me{run_, number};
    const auto sends = [&](std::size_t ports, const std::string& port) {
      for (std::size_t i = 0; i < ports; ++i)
        outputs_[number].push_back(name + "." + port + std::to_string(i));
    };
    const auto takes = [&](std::size_t ports, const std::string& port) {
      for (std::size_t i = 0; i < ports; ++i)
        inputs_[number].push_back(name + "." + port + std::to_string(i));
    };

    switch (n.what) {
      case verb::source:
        source(number, named);
        break;
      case verb::map:
        line(number, tw::map(serial_mapper{{{run_, number}}}, named));
        break;
      case verb::stamp:
        line(number, tw::map(make<stamper>(number), named));
        break;
      case verb::filter:
        line(number, tw::filter(make<keeper>(number), named));
        break;
      case verb::expand:
        line(number, tw::flat_map(make<expander>(number), named));
        break;
      case verb::line:
        line(number, tw::map(mapper_of(), named) | tw::filter(make<later_keeper>(number), later("filter")) |
                         tw::flat_map(make<later_expander>(number), later("expand")));
        break;
      case verb::farm:
        if (s.seed % 3 == 0)
          line(number, tw::farm(tw::filter(make<keeper>(number), named), farm_options(s, {})));
        if (s.seed % 3 == 1)
          line(number, tw::farm(tw::flat_map(make<expander>(number), named), farm_options(s, {})));
        if (s.seed % 3 == 2) line(number, tw::farm(mapper_of(), farm_options(s, name)));
        break;
      case verb::farm_line:
        line(number,
             tw::farm(tw::map(mapper_of(), named) | tw::filter(make<later_keeper>(number), later("filter")) |
                          tw::flat_map(make<later_expander>(number), later("expand")),
                      farm_options(s, {})));
        break;
      case verb::batch: {
        const auto together = g_.add<item>(tw::batch(1 + s.amount % 9, {}, named));
        const auto apart = g_.add<std::vector<item>>(tw::unbatch(later("apart")));
        g_.connect(together.out, apart.in, capacity_of(s));
        inputs_[number] = {name + ".in"};
        outputs_[number] = {name + "-apart.out"};
        break;
      }
      case verb::key_state:
        if (s.amount % 2 == 0) {
          line(number, tw::key_by([](const item& x) { return x.path; }, make<summer>(number), named));
        } else {
          line(number, tw::key_by([](const item& x) { return x.path; }, make<telling_summer>(number), named));
        }
        break;
      case verb::count_window: {
        const auto keys = tw::key_by(
            [me](const item& x) {
              me.touch(x);
              return x.path;
            },
            named);
        const auto windows = tw::window(tw::count(1 + s.amount % 7, {.any_order = true}),
                                        tw::sum_of(&item::value), later("window"));
        const auto results = tw::map(
            [](const tw::keyed<std::int64_t, tw::windowed<std::int64_t>>& w) {
              return window_result(w.key, w.value.begin, w.value.value);
            },
            later("result"));
        if (s.seed % 2 == 0) {
          line(number, keys | windows | results);
        } else {
          line(number, keys | tw::farm(windows, {.replicas = s.replicas}) | results);
        }
        break;
      }
      case verb::time_window: {
        const auto times = tw::map(make<timer>(number), named);
        const auto windows = tw::window(
            tw::tumbling(std::chrono::nanoseconds(window_size(s))), tw::sum_of(&timed::value),
            tw::event_time(&timed::at, {.disorder = std::chrono::nanoseconds(disorder(s))}), later("window"));
        if (window_keys(s) == 1) {
          line(number,
               times | windows |
                   tw::map(
                       [](const tw::windowed<std::int64_t>& w) { return window_result(0, w.begin, w.value); },
                       later("result")));
        } else {
          line(number, times | tw::key_by([s](const timed& x) { return window_key(s, x); }, later("key")) |
                           tw::farm(windows, {.replicas = s.replicas}) |
                           tw::map(
                               [](const tw::keyed<std::int64_t, tw::windowed<std::int64_t>>& w) {
                                 return window_result(w.key, w.value.begin, w.value.value);
                               },
                               later("result")));
        }
        break;
      }
      case verb::reduce:
        line(number, tw::reduce(
                         std::int64_t{0},
                         [me](std::int64_t sum, const item& x) {
                           me.touch(x);
                           return sum + x.value;
                         },
                         named) |
                         tw::map(
                             [](std::int64_t sum) {
                               return item{sum, 0, 0};
                             },
                             later("result")));
        break;
      case verb::loop: {
        auto& node = g_.configure(g_.add<looping_stage>(me), named);
        const tw::options body = s.amount % 2 == 0 ? farm_options(s, name + "-round") : later("round");
        const auto round = [&] {
          if (s.amount % 2 == 0)
            return g_.add(
                tw::farm(tw::flat_map(make<goes_round>(number), later("round")), farm_options(s, {})));
          return g_.add(tw::flat_map(make<goes_round>(number), body));
        }();
        g_.connect(node.again, round.in, capacity_of(s));
        g_.connect(round.out, node.back, capacity_of(s));
        inputs_[number] = {name + ".in"};
        outputs_[number] = {name + ".out"};
        break;
      }
      case verb::fan: {
        auto& split = g_.configure(g_.add<tw::split<item>>(tw::on_demand), named);
        auto& merge = g_.configure(g_.add<tw::merge<item>>(s.amount % 2 == 0 ? tw::first_come : tw::ordered),
                                   later("merge"));
        for (int i = 0; i < s.width; ++i) {
          auto branch = g_.add(tw::map(mapper_of(), later(("branch-" + std::to_string(i)).c_str())));
          g_.connect(split.branch(), branch.in, capacity_of(s));
          g_.connect(branch.out, merge.input(), capacity_of(s));
        }
        inputs_[number] = {name + ".in"};
        outputs_[number] = {name + "-merge.out"};
        break;
      }
      case verb::split: {
        const auto how = s.schedule == 0   ? tw::round_robin
                         : s.schedule == 1 ? tw::by_key<item>([](const item& x) { return x.value % 50; })
                                           : tw::where<item>([s](const item& x) { return kept(s, x); });
        auto& split = g_.configure(g_.add<tw::split<item>>(how), named);
        (void)split.branch(n.out.size() - 1);
        inputs_[number] = {name + ".in"};
        sends(n.out.size(), "branch-");
        break;
      }
      case verb::tee: {
        auto& tee = g_.configure(g_.add<tw::tee<item>>(), named);
        (void)tee.branch(n.out.size() - 1);
        inputs_[number] = {name + ".in"};
        sends(n.out.size(), "branch-");
        break;
      }
      case verb::ports:
        g_.configure(g_.add<ports_stage>(me, n.out.size()), named);
        inputs_[number] = {name + ".in"};
        sends(n.out.size(), "out-");
        break;
      case verb::merge:
      case verb::merge_in_turn:
      case verb::merge_by:
      case verb::merge_ordered: {
        auto& merge = [&]() -> tw::merge<item>& {
          if (n.what == verb::merge_by)
            return g_.add<tw::merge<item>>([](const item& a, const item& b) { return before(a, b); });
          return g_.add<tw::merge<item>>(n.what == verb::merge           ? tw::first_come
                                         : n.what == verb::merge_in_turn ? tw::in_turn
                                                                         : tw::ordered);
        }();
        g_.configure(merge, named);
        (void)merge.input(n.in.size() - 1);
        takes(n.in.size(), "input-");
        outputs_[number] = {name + ".out"};
        break;
      }
      case verb::sort:
        g_.configure(g_.add<sorting_stage>(me), named);
        takes(2, "in-");
        outputs_[number] = {name + ".out"};
        break;
      case verb::pair:
        g_.configure(g_.add<pairing_stage>(me), named);
        takes(2, "in-");
        outputs_[number] = {name + ".out"};
        break;
      case verb::gather:
        g_.configure(g_.add<gathering_stage>(me, n.in.size()), named);
        takes(n.in.size(), "in-");
        outputs_[number] = {name + ".out"};
        break;
      case verb::half: {
        auto& stage = g_.configure(g_.add<half_stage>(me, n.in.size()), named);
        const auto wrapped = g_.add(tw::map([](const item& x) { return arriving{x}; }, later("first")));
        g_.connect(wrapped.out, stage.first, capacity_of(s));
        takes(n.in.size(), "in-");
        inputs_[number].front() = name + "-first.in";
        outputs_[number] = {name + ".out"};
        break;
      }
      case verb::sink:
        if (s.seed % 3 == 0 && run_->throws != number) {
          g_.add(tw::sink(run_->nodes[number].seen, named));
        } else {
          g_.add(tw::sink(make<taker>(number), named));
        }
        inputs_[number] = {name + ".in"};
        break;
    }
  }

  void source(std::size_t number, const tw::options& named) {
    const auto& b = l_.sources[number];
    switch (b.from) {
      case origin::range: {
        std::vector<item> all;
        for (long i = 0; i < b.items; ++i) all.push_back(item_of(b, i));
        g_.add(tw::source(std::move(all), named));
        break;
      }
      case origin::pull:
        g_.add(tw::source(puller{{run_, number}}, named));
        break;
      case origin::emitting:
        g_.add(tw::source(emitting{{run_, number}}, named));
        break;
      case origin::stage:
        g_.configure(g_.add<sending_stage>(probe{run_, number}), named);
        break;
    }
    outputs_[number] = {named.name + ".out"};
  }

  std::shared_ptr<witness> run_;
  tw::graph& g_;
  const layout& l_;
  std::vector<std::vector<std::string>> inputs_, outputs_;  // ports, by node
};

}  // namespace

void build(const std::shared_ptr<witness>& run, tw::graph& g) {
  builder(run, g).build();
}

}  // namespace random_graphs
