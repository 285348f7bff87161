// oneTBB: flow graphs. Their queues have no bound, so a limiter node keeps the source from running away, and
// a node may finish its items in another order than it got them, so what shall be in order is numbered.
// Messages are copied from node to node: those that are large travel behind a pointer.
#include <memory>
#include <type_traits>
#include <utility>

#include <oneapi/tbb/flow_graph.h>

#include "graph_peer.hpp"
#include "registry.hpp"

namespace micro {
namespace {

namespace flow = oneapi::tbb::flow;

/// What travels for an item.
template <class T> struct message {
  static constexpr bool small = std::is_trivially_copyable_v<T>;

  std::size_t number = 0;
  std::conditional_t<small, T, std::shared_ptr<T>> carried{};

  void put(T item) {
    if constexpr (small) {
      carried = item;
    } else {
      carried = std::make_shared<T>(std::move(item));
    }
  }
  T take() const {
    if constexpr (small) {
      return carried;
    } else {
      return std::move(*carried);
    }
  }
  T copy() const {
    if constexpr (small) {
      return carried;
    } else {
      return *carried;
    }
  }
};

template <class Message, class = std::make_index_sequence<branches>> struct one_for_each_branch;
template <class Message, std::size_t... I> struct one_for_each_branch<Message, std::index_sequence<I...>> {
  template <std::size_t> using the = Message;
  using type = std::tuple<the<I>...>;
};

struct tbb_flow_graph {
  static constexpr auto name = "oneTBB flow graph";

  struct setting : common_setting {
    std::size_t limit = 64;    // messages in the graph at once
    bool lightweight = false;  // nodes that run where the message comes from, where the runtime likes
  };

  template <class Program>
    requires(!std::is_same_v<Program, keyed_program> && !std::is_same_v<Program, windows_program>)
  static std::vector<setting> settings(const Program&) {
    return {
        {{"limit 64", true}, 64},
        {{"limit 16"}, 16},
        {{"limit 1024"}, 1'024},
        {{"limit 64, lightweight"}, 64, true},
        {{"limit 1024, lightweight"}, 1'024, true},
        {{"limit 64, chunk 16", false, 16}, 64},
        {{"limit 32, chunk 256", false, 256}, 32},
        {{"limit 32, chunk 256, lightweight", false, 256}, 32, true},
    };
  }

  // Behind a sequencer it must not be lightweight: it lets the limiter go on while it is called by the
  // sequencer, which then waits for itself.
  template <class Message, class Policy>
  using end_node = flow::function_node<Message, flow::continue_msg, Policy>;

  template <class With> static void with_policy(const setting& s, With&& with) {
    if (s.lightweight) {
      with(flow::queueing_lightweight{});
    } else {
      with(flow::queueing{});
    }
  }

  template <class Source> static auto numbered_source(Source& source) {
    using message_type = message<item_of<Source>>;
    return [&source, number = std::size_t{0}](oneapi::tbb::flow_control& control) mutable {
      message_type m;
      if (auto next = source()) {
        m.number = number++;
        m.put(*std::move(next));
      } else {
        control.stop();
      }
      return m;
    };
  }

  template <bool Ordered, class Source, class Work, class Sink>
  static void fan(const setting& s, Source& source, const Work& work, Sink& sink) {
    with_policy(s, [&](auto policy) {
      using message_type = message<item_of<Source>>;
      using policy_type = decltype(policy);
      using split_node =
          flow::multifunction_node<message_type, typename one_for_each_branch<message_type>::type,
                                   policy_type>;
      using map_node = flow::function_node<message_type, message_type, policy_type>;
      flow::graph g;
      flow::input_node<message_type> begin(g, numbered_source(source));
      flow::limiter_node<message_type> limit(g, s.limit);
      split_node split(g, flow::serial, [](const message_type& m, auto& outs) noexcept {
        to_branch(outs, m, std::make_index_sequence<branches>{});
      });
      std::vector<std::unique_ptr<map_node>> maps;
      for (int i = 0; i < branches; ++i) {
        maps.push_back(std::make_unique<map_node>(g, flow::serial, [&work](message_type m) noexcept {
          m.put(work(m.take()));
          return m;
        }));
      }
      flow::sequencer_node<message_type> order(g, [](const message_type& m) { return m.number; });
      end_node<message_type, std::conditional_t<Ordered, flow::queueing, policy_type>> end(
          g, flow::serial, [&sink](const message_type& m) noexcept {
            sink(m.take());
            return flow::continue_msg{};
          });
      flow::make_edge(begin, limit);
      flow::make_edge(limit, split);
      connect_branches(split, maps, std::make_index_sequence<branches>{});
      for (auto& map : maps) {
        if constexpr (Ordered) {
          flow::make_edge(*map, order);
        } else {
          flow::make_edge(*map, end);
        }
      }
      if constexpr (Ordered) flow::make_edge(order, end);
      flow::make_edge(end, limit.decrementer());
      begin.activate();
      g.wait_for_all();
    });
  }

  template <class Source, class Left, class Right, class Join, class Sink>
  static void diamond(const setting& s, Source& source, const Left& left, const Right& right, Join join,
                      Sink& sink) {
    with_policy(s, [&](auto policy) {
      using message_type = message<item_of<Source>>;
      using policy_type = decltype(policy);
      using map_node = flow::function_node<message_type, message_type, policy_type>;
      using both_type = std::tuple<message_type, message_type>;
      const auto number = [](const message_type& m) { return m.number; };
      // The two ways share what is behind a pointer: each makes its own.
      const auto apply = [](const auto& work) {
        return [&work](const message_type& m) noexcept {
          message_type made;
          made.number = m.number;
          made.put(work(m.copy()));
          return made;
        };
      };
      flow::graph g;
      flow::input_node<message_type> begin(g, numbered_source(source));
      flow::limiter_node<message_type> limit(g, s.limit);
      flow::broadcast_node<message_type> tee(g);
      map_node left_map(g, flow::serial, apply(left));
      map_node right_map(g, flow::serial, apply(right));
      flow::join_node<both_type, flow::key_matching<std::size_t>> pairs(g, number, number);
      flow::function_node<both_type, message_type, policy_type> both(
          g, flow::serial, [&join](const both_type& b) noexcept {
            message_type made = std::get<0>(b);
            made.put(join(made.take(), std::get<1>(b).take()));
            return made;
          });
      flow::sequencer_node<message_type> order(g, number);
      end_node<message_type, flow::queueing> end(g, flow::serial, [&sink](const message_type& m) noexcept {
        sink(m.take());
        return flow::continue_msg{};
      });
      flow::make_edge(begin, limit);
      flow::make_edge(limit, tee);
      flow::make_edge(tee, left_map);
      flow::make_edge(tee, right_map);
      flow::make_edge(left_map, flow::input_port<0>(pairs));
      flow::make_edge(right_map, flow::input_port<1>(pairs));
      flow::make_edge(pairs, both);
      flow::make_edge(both, order);
      flow::make_edge(order, end);
      flow::make_edge(end, limit.decrementer());
      begin.activate();
      g.wait_for_all();
    });
  }

 private:
  template <class Outs, class Message, std::size_t... I>
  static void to_branch(Outs& outs, const Message& m, std::index_sequence<I...>) {
    const auto branch = m.number % branches;
    static_cast<void>(((I == branch && std::get<I>(outs).try_put(m)) || ...));
  }

  template <class Split, class Maps, std::size_t... I>
  static void connect_branches(Split& split, Maps& maps, std::index_sequence<I...>) {
    (flow::make_edge(flow::output_port<I>(split), *maps[I]), ...);
  }
};

}  // namespace

std::unique_ptr<graph_peer> make_tbb_graphs() {
  return std::make_unique<graph_peer_of<tbb_flow_graph>>();
}

}  // namespace micro
