#pragma once

#include <thalweg/model/component.hpp>
#include <thalweg/model/frame.hpp>
#include <thalweg/model/pack.hpp>
#include <thalweg/model/stage_traits.hpp>
#include <thalweg/pipe/glance.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE::model {

/// A stage of a flattened pipeline: its blueprint, and the number of the farm it is in (-1: none).
template <class Stage, int Farm> struct leaf {
  using stage_type = Stage;
  static constexpr int farm = Farm;
  Stage stage;
};

/// The item types that go into each of the stages.
template <class Input, class... Leaves> struct inputs : std::type_identity<pack<>> {};
template <class Input, class Leaf, class... More>
struct inputs<Input, Leaf, More...>
    : std::type_identity<decltype(model::joined(
          std::declval<pack<std::type_identity<Input>>>(),
          std::declval<typename inputs<output_of<typename Leaf::stage_type, Input>, More...>::type>()))> {};

/// The operators of one stage, whatever their type: one per replica, made when the replica is started.
class replicas {
 public:
  struct destroyer {
    void (*destroy)(void*) noexcept = nullptr;
    void operator()(void* op) const noexcept { destroy(op); }
  };
  using owned = std::unique_ptr<void, destroyer>;

  void resize(std::size_t n);
  void set(std::size_t replica, owned op);
  /// Of a replica that has been started.
  [[nodiscard]] void* at(std::size_t replica) const noexcept { return ops_[replica].get(); }
  /// Null where that replica was never started.
  [[nodiscard]] void* get(std::size_t replica) const noexcept {
    return replica < ops_.size() ? ops_[replica].get() : nullptr;
  }

 private:
  std::vector<owned> ops_;
};

/// Adds to the tallies what a line of stages has counted, however its run ends.
template <class Line> struct counting {
  Line& line;
  std::size_t& items;
  std::size_t failed = no_stage;

  counting(Line& l, std::size_t& n) : line(l), items(n) {}
  counting(const counting&) = delete;
  counting& operator=(const counting&) = delete;
  THALWEG_INLINE ~counting() { Line::count(line, items, failed); }

  template <class F> THALWEG_INLINE decltype(auto) watch(F&& f) {
    try {
      return f();
    } catch (const stage_failure& failure) {
      failed = failure.leaf;
      throw;
    }
  }
};

/// A line of typed stages, lowered: the component whose loops the compiler sees whole. Every range of stages
/// that is worth it becomes one plain loop, in which each stage calls the next one directly.
template <class Input, class... Leaves> class chain final : public component {
 public:
  static constexpr std::size_t size = sizeof...(Leaves);

  chain(std::vector<stage_info>&& infos, pack<Leaves...>&& leaves) : leaves_(std::move(leaves)) {
    stages_ = std::move(infos);
  }

  [[nodiscard]] std::vector<range> compiled() const override {
    std::array<range, most_ranges> all;
    std::size_t n = 0;
    each_range([&]<std::size_t F, std::size_t L>(span<F, L>) { all[n++] = {F, L}; });
    return {all.data(), all.data() + n};
  }

  void prepare(std::size_t stage, std::size_t replicas) override {
    at(stage, [&]<std::size_t I>(index<I>) { model::get<I>(slots_).resize(replicas); });
  }

  void start(range r, std::size_t replica) override {
    for (std::size_t i = r.first; i < r.last; ++i) {
      frame<mode::plain>::attribute(i, [&] {
        at(i, [&]<std::size_t I>(index<I>) { model::get<I>(slots_).start(model::get<I>(leaves_), replica); });
      });
    }
  }

  std::size_t process(range r, std::size_t replica, context& ctx, pipe::chunk_base& in,
                      pipe::chunk_base* out) override {
    if (guards(r)) {
      static constexpr auto by_stage = guarded_loops(std::make_index_sequence<size>{});
      return by_stage[r.first](*this, replica, ctx, in, out);
    }
    if (ctx.paced || ctx.ranked) return careful(r, replica, ctx, in, out);
    static constexpr auto by_range = loops();
    for (const auto& l : by_range) {
      if (l.first == r.first && l.last == r.last) return l.run(*this, replica, ctx, in, out);
    }
    return 0;
  }

  produced produce(range r, context& ctx, std::size_t n, pipe::chunk_base* out) override {
    if constexpr (is_source<0>) {
      if (guards(r)) return pull_guarded<0>(ctx, n, out);
      if (ctx.paced) return careful_pull(r.last, ctx, n, out);
      static constexpr auto by_range = pulling_loops();
      for (const auto& l : by_range) {
        if (l.last == r.last) return l.run(*this, ctx, n, out);
      }
    }
    return {};
  }

  void finish(std::size_t stage, std::size_t replica, context& ctx, pipe::chunk_base* out) override {
    at(stage, [&]<std::size_t I>(index<I>) {
      if constexpr (has_end<I>) {
        auto* op = model::get<I>(slots_).get(replica);
        if (op == nullptr) return;
        run_tail<I>(ctx, out, [&](auto& next) {
          frame<mode::plain> f{ctx, I};
          op->finish(f, next);
        });
      }
    });
  }

  [[nodiscard]] std::int64_t deadline(std::size_t stage, std::size_t replica) const override {
    auto when = std::numeric_limits<std::int64_t>::max();
    at(stage, [&]<std::size_t I>(index<I>) {
      if constexpr (has_timer<I>) {
        if (const auto* op = model::get<I>(slots_).get(replica)) when = op->deadline();
      }
    });
    return when;
  }

  void on_time(std::size_t stage, context& ctx, pipe::chunk_base* out, std::size_t replica) override {
    at(stage, [&]<std::size_t I>(index<I>) {
      if constexpr (has_timer<I>) {
        auto* op = model::get<I>(slots_).get(replica);
        try {
          run_tail<I>(ctx, out, [&](auto& next) {
            frame<mode::plain> f{ctx, I};
            op->on_time(f, next);
          });
        } catch (const stage_failure& failure) {
          forgive(I, ctx, failure);
        }
      }
    });
  }

  [[nodiscard]] std::unique_ptr<pipe::chunk_base> make_chunk(std::size_t stage) const override {
    std::unique_ptr<pipe::chunk_base> made;
    at(stage, [&]<std::size_t I>(index<I>) {
      if constexpr (!is_sink<I>) made = std::make_unique<pipe::chunk<output<I>>>();
    });
    return made;
  }

  void divide(std::size_t stage, pipe::chunk_base& in,
              std::span<const std::unique_ptr<pipe::chunk_base>> parts, std::int64_t first,
              std::vector<std::uint8_t>& who, std::span<const std::uint8_t> places) const override {
    at(stage, [&]<std::size_t I>(index<I>) {
      if constexpr (requires(const stage_at<I>& s, const input<I>& x) { s.hash_of_key(x); }) {
        using items = pipe::chunk<input<I>>;
        auto& from = static_cast<items&>(in);
        const auto n = from.size();
        const bool may_fail = !this->stages_[I].opts.on_error.plain();
        const auto count = places.empty() ? parts.size() : places.size();
        for (std::size_t i = 0; i < n; ++i) {
          frame<mode::plain>::attribute(I, [&] {
            try {
              // The low bits find the key's place in the table of its part.
              who[i] = static_cast<std::uint8_t>((model::get<I>(leaves_).stage.hash_of_key(from[i]) >> 24U) %
                                                 count);
            } catch (...) {
              if (!may_fail) throw;
              who[i] = 0;  // which asks for the key once more, and deals with the error
            }
          });
          static_cast<items&>(*parts[places.empty() ? who[i] : places[who[i]]])
              .emplace_marked({from.due(i), first + static_cast<std::int64_t>(i)}, std::move(from[i]));
        }
      }
    });
  }

  void take_times(std::size_t stage, pipe::chunk_base* in, std::int64_t now, stream_clock& clock,
                  std::vector<moment>& moments) const override {
    at(stage, [&]<std::size_t I>(index<I>) {
      if constexpr (requires(const stage_at<I>& s, const input<I>& x) { s.moment_of(x, now, clock); }) {
        const auto& s = model::get<I>(leaves_).stage;
        if (in == nullptr) {
          moments.push_back(s.moment_without_items(now, clock));
          return;
        }
        frame<mode::plain>::attribute(I, [&] {
          for (const auto& x : static_cast<pipe::chunk<input<I>>&>(*in))
            moments.push_back(s.moment_of(x, now, clock));
        });
      }
    });
  }

  void catch_up(std::size_t stage, context& ctx, pipe::chunk_base* out, std::size_t replica) override {
    at(stage, [&]<std::size_t I>(index<I>) {
      if constexpr (requires { slot<I>::op_type::catches_up; }) {
        auto* op = model::get<I>(slots_).get(replica);
        run_tail<I>(ctx, out, [&](auto& next) {
          frame<mode::plain> f{ctx, I};
          op->catch_up(f, next);
        });
      }
    });
  }

  void give_late(std::size_t stage, pipe::chunk_base& items) override {
    at(stage, [&]<std::size_t I>(index<I>) {
      if constexpr (requires(stage_at<I>& s, const input<I>& x) { s.give_late(x); }) {
        frame<mode::plain>::attribute(I, [&] {
          for (const auto& x : static_cast<pipe::chunk<input<I>>&>(items))
            model::get<I>(leaves_).stage.give_late(x);
        });
      }
    });
  }

  [[nodiscard]] std::unique_ptr<pipe::chunk_base> make_states(std::size_t stage) const override {
    std::unique_ptr<pipe::chunk_base> made;
    at(stage, [&]<std::size_t I>(index<I>) {
      if constexpr (gives_states<I>) made = std::make_unique<states_of<I>>();
    });
    return made;
  }

  void take_states(std::size_t stage, std::size_t replica, pipe::chunk_base& into) override {
    at(stage, [&]<std::size_t I>(index<I>) {
      if constexpr (gives_states<I>)
        model::get<I>(slots_)[replica].take_states(static_cast<states_of<I>&>(into));
    });
  }

  void put_states(std::size_t stage, std::size_t replica, pipe::chunk_base& from) override {
    at(stage, [&]<std::size_t I>(index<I>) {
      if constexpr (gives_states<I>)
        model::get<I>(slots_)[replica].put_states(static_cast<states_of<I>&>(from));
    });
  }

 private:
  template <std::size_t I> using index = std::integral_constant<std::size_t, I>;
  template <std::size_t F, std::size_t L> struct span {};

  template <std::size_t I> using leaf_at = pack_element<I, pack<Leaves...>>;
  template <std::size_t I> using stage_at = typename leaf_at<I>::stage_type;

  // The item types between the stages.
  template <std::size_t I>
  using input = typename pack_element<I, typename inputs<Input, Leaves...>::type>::type;
  template <std::size_t I> using output = output_of<stage_at<I>, input<I>>;
  template <std::size_t I> static constexpr bool is_source = std::is_same_v<input<I>, nothing>;
  template <std::size_t I> static constexpr bool is_sink = std::is_same_v<output<I>, nothing>;

  // The operators of one stage: one for a serial stage, one per replica in a farm. Where an operator is
  // shared by the replicas there is one copy of it, and each replica's operator refers to that.
  template <std::size_t I> class slot {
    using stage_type = stage_at<I>;
    static constexpr bool in_farm = leaf_at<I>::farm >= 0;
    static constexpr bool shared = in_farm && shares_function<stage_type>;
    static constexpr bool in_turn = [] {
      if constexpr (requires { &stage_type::fn; }) return in_farm && made_in_turn<function_of<stage_type>>;
      return false;
    }();

   public:
    using op_type = typename decltype([] {
      if constexpr (shared) {
        return std::type_identity<op_shared<stage_type, input<I>>>{};
      } else {
        return std::type_identity<op_owned<stage_type, input<I>>>{};
      }
    }())::type;

    void resize(std::size_t n) { ops_.resize(n); }

    static replicas::owned made(op_type* op) {
      return {op, {[](void* o) noexcept { delete static_cast<op_type*>(o); }}};
    }

    void start(leaf_at<I>& from, std::size_t replica) {
      if constexpr (shared) {
        std::call_once(common_.once, [&] { common_.fn.emplace(std::move(from.stage.fn)); });
        ops_.set(replica, made(new op_type(from.stage.template bind<input<I>>(std::as_const(*common_.fn)))));
      } else if constexpr (in_turn) {
        const std::lock_guard hold(common_.making);
        ops_.set(replica, made(new op_type(from.stage.template make<input<I>>())));
      } else {
        ops_.set(replica, made(new op_type(from.stage.template make<input<I>>())));
      }
      if constexpr (requires(op_type& op) { op.start(); }) (*this)[replica].start();
    }

    op_type& operator[](std::size_t replica) const noexcept {
      return *static_cast<op_type*>(ops_.at(replica));
    }
    // Null where that replica was never started.
    op_type* get(std::size_t replica) const noexcept { return static_cast<op_type*>(ops_.get(replica)); }

   private:
    struct none {};
    struct one_for_all {
      std::once_flag once;
      std::optional<typename shared_operator<stage_type, shared>::type> fn;
    };
    struct one_by_one {
      std::mutex making;
    };
    replicas ops_;
    [[no_unique_address]] std::conditional_t<shared, one_for_all,
                                             std::conditional_t<in_turn, one_by_one, none>>
        common_;
  };

  template <class Is> struct slots;
  template <std::size_t... I>
  struct slots<std::index_sequence<I...>> : std::type_identity<pack<slot<I>...>> {};

  template <std::size_t I>
  static constexpr bool has_end = [] {
    if constexpr (requires { stage_at<I>::template ends<input<I>>; })
      return stage_at<I>::template ends<input<I>>;
    return false;
  }();
  template <std::size_t I>
  static constexpr bool has_timer = requires(typename slot<I>::op_type& op) { op.deadline(); };

  // Keys and their states, in a farm whose keys are divided up.
  template <std::size_t I> using states_of = pipe::chunk<typename slot<I>::op_type::kept>;
  template <std::size_t I>
  static constexpr bool gives_states =
      leaf_at<I>::farm >= 0 &&
      requires(typename slot<I>::op_type& op, states_of<I>& states) { op.take_states(states); };

  // Calls f(index<i>{}) for a number known at run time.
  template <class F> static void at(std::size_t i, F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (void)((i == I && (f(index<I>{}), true)) || ...);
    }(std::make_index_sequence<size>{});
  }

  // A loop ends behind a stage that holds items back and sends many at once: how the time of such a rare run
  // is shared by the stages of one loop, probes of the other runs cannot say.
  template <std::size_t I>
  static constexpr bool sends_bursts = requires { requires stage_at<I>::sends_bursts; };

  // The longest line of stages from F on that belong together: all serial, or all in the same farm.
  template <std::size_t F, std::size_t L = F + 1> static constexpr std::size_t line_end() {
    if constexpr (L < size) {
      if constexpr (!sends_bursts<L - 1> && leaf_at<L>::farm == leaf_at<F>::farm) return line_end<F, L + 1>();
    }
    return L;
  }
  // The longest line of all stages from F on.
  template <std::size_t F, std::size_t L = F + 1> static constexpr std::size_t loop_end() {
    if constexpr (L < size) {
      if constexpr (!sends_bursts<L - 1>) return loop_end<F, L + 1>();
    }
    return L;
  }
  template <std::size_t F> static constexpr bool loop_begins() {
    if constexpr (F == 0) {
      return true;
    } else {
      return sends_bursts<F - 1>;
    }
  }
  template <std::size_t F> static constexpr bool line_begins() {
    if constexpr (loop_begins<F>()) {
      return true;
    } else {
      return leaf_at<F - 1>::farm != leaf_at<F>::farm;
    }
  }

  static constexpr std::size_t most_ranges = 2 * size;  // single ones, and lines of at least two

  template <class F> static constexpr void each_range(F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (f(span<I, I + 1>{}), ...);
      (
          [&] {
            if constexpr (line_begins<I>() && line_end<I>() > I + 1) f(span<I, line_end<I>()>{});
            if constexpr (loop_begins<I>() && loop_end<I>() > line_end<I>()) f(span<I, loop_end<I>()>{});
          }(),
          ...);
    }(std::make_index_sequence<size>{});
  }

  // The loops are functions by themselves, found in tables: in one function that holds them all the compiler
  // takes a multiple of the time.
  using run_items = std::size_t (*)(chain&, std::size_t replica, context&, pipe::chunk_base& in,
                                    pipe::chunk_base* out);
  using pull_items = produced (*)(chain&, context&, std::size_t n, pipe::chunk_base* out);
  template <class Loop> struct compiled_loop {
    std::size_t first = 0, last = 0;
    Loop run = nullptr;
  };
  static constexpr auto loops() {
    std::array<compiled_loop<run_items>, most_ranges> all{};
    std::size_t n = 0;
    each_range([&]<std::size_t F, std::size_t L>(span<F, L>) {
      if constexpr (!is_source<F>) all[n++] = {F, L, loop<F, L>};
    });
    return all;
  }
  static constexpr auto pulling_loops() {
    std::array<compiled_loop<pull_items>, most_ranges> all{};
    std::size_t n = 0;
    each_range([&]<std::size_t F, std::size_t L>(span<F, L>) {
      if constexpr (is_source<F>) all[n++] = {F, L, pull<L>};
    });
    return all;
  }
  template <std::size_t... I> static constexpr auto guarded_loops(std::index_sequence<I...>) {
    return std::array<run_items, size>{guarded<I>...};
  }
  template <std::size_t... I> static constexpr auto careful_loops(std::index_sequence<I...>) {
    return std::array<void (*)(careful_line&, pipe::chunk_base&, std::size_t&), size>{careful_loop<I>...};
  }
  template <std::size_t... I> static constexpr auto careful_ends(std::index_sequence<I...>) {
    return std::array<void (*)(careful_line&, pipe::chunk_base*, function_ref<void()>), size>{with_end<I>...};
  }

  // Whether what the stage throws has a policy.
  [[nodiscard]] bool guards(range r) const {
    return r.last == r.first + 1 && !stages_[r.first].opts.on_error.plain();
  }

  // The last stage's output: into the chunk, handed over when it is full.
  template <mode M, std::size_t I> struct tail {
    context& ctx;
    pipe::chunk<output<I>>& out;
    const std::atomic<bool>& hurry;
    std::size_t limit;
    std::size_t bytes = 0;

    tail(context& c, pipe::chunk_base* o)
        : ctx(c), out(static_cast<pipe::chunk<output<I>>&>(*o)), hurry(*c.hurry), limit(bounded()) {}

    [[nodiscard]] std::size_t bounded() const {
      if constexpr (pipe::has_fixed_size<output<I>>) {
        return std::max<std::size_t>(1, std::min(ctx.limit, ctx.limit_bytes / sizeof(output<I>)));
      } else {
        return ctx.limit;
      }
    }

    template <class U> void operator()(U&& item) {
      if constexpr (!pipe::has_fixed_size<output<I>>) bytes += thalweg::size_of(item);
      // The size with this item, which may be stolen at once: with a limit of 1 each one is flushed all the
      // same.
      const std::size_t now = add(std::forward<U>(item));
      if (now >= limit || pipe::glance(hurry) ||
          (!pipe::has_fixed_size<output<I>> && bytes >= ctx.limit_bytes)) [[unlikely]]
        full();
    }

    template <class U> THALWEG_INLINE std::size_t add(U&& item) {
      if constexpr (M == mode::careful) {
        if (ctx.paced || ctx.ranked) {
          if (ctx.paced && !out.paced) out.paced = true;  // once: it can be read by a thief
          if (ctx.ranked && !out.ranked) out.ranked = true;
          return out.emplace_marked(ctx.due, ctx.rank, std::forward<U>(item));
        }
      }
      return out.emplace(std::forward<U>(item));
    }

    void full() {
      if constexpr (pipe::has_fixed_size<output<I>>) bytes = out.bytes();
      ctx.out_bytes = bytes;
      ctx.flush(I, out);
      const bool emptied = out.empty();
      if (emptied) bytes = 0;
      limit = emptied ? bounded() : ctx.limit;  // not emptied: the engine has said how far it may grow
    }
  };
  struct no_tail {
    no_tail(context&, pipe::chunk_base*) {}
  };

  template <mode M, std::size_t L>
  using tail_of = std::conditional_t<is_sink<L - 1>, no_tail, tail<M, L - 1>>;

  // The operators of a range for one replica, looked up once per run of items.
  template <std::size_t F, class Is> struct operators;
  template <std::size_t F, std::size_t... I>
  struct operators<F, std::index_sequence<I...>>
      : std::type_identity<pack<typename slot<F + I>::op_type*...>> {};
  template <std::size_t F, std::size_t L>
  using operators_of = typename operators<F, std::make_index_sequence<L - F>>::type;

  template <std::size_t F, std::size_t L> operators_of<F, L> ops_of(std::size_t replica) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return operators_of<F, L>(&model::get<F + I>(slots_)[replica]...);
    }(std::make_index_sequence<L - F>{});
  }

  // The operators of a range, and what a run of items counts. Stages that give one output per input count
  // nothing.
  template <std::size_t F, std::size_t L> struct line {
    context& ctx;
    operators_of<F, L> ops;
    tail_of<mode::plain, L> end;
    std::array<std::uint64_t, L - F> passed{};

    template <std::size_t I, class T> THALWEG_INLINE void step(T&& item) {
      auto& op = *model::get<I - F>(ops);
      const frame<mode::plain> f{ctx, I};
      if constexpr (is_sink<I>) {
        op.step(f, std::forward<T>(item));
      } else {
        op.step(f, std::forward<T>(item),
                [&](auto&& y) THALWEG_INLINE { give<I>(std::forward<decltype(y)>(y)); });
      }
    }

    template <std::size_t I, class U> THALWEG_INLINE void give(U&& y) {
      if constexpr (!one_to_one<stage_at<I>>) ++passed[I - F];
      if constexpr (I + 1 == L) {
        end(std::forward<U>(y));
      } else {
        step<I + 1>(std::forward<U>(y));
      }
    }

    [[nodiscard]] static constexpr std::size_t last() { return L; }
    [[nodiscard]] static constexpr bool has_sink() { return is_sink<L - 1>; }

    // `in` items entered stage F (or, for a source, were made by it). Nothing is passed by reference, and the
    // callers are inlined: what this function could reach would not be kept in registers.
    // `failed`: the stage that has thrown at the last item, if any has.
    static void count(const line& run, std::uint64_t in, std::size_t failed = no_stage) {
      count(run.ctx, run.passed, in, failed);
    }

   private:
    static void count(context& ctx, std::array<std::uint64_t, L - F> passed, std::uint64_t in,
                      std::size_t failed) {
      count_items({F, L}, ctx, passed.data(), in, failed);
    }
  };

  // The same for items with due times or ranks, for any range: each stage is compiled once, and calls the
  // next one.
  struct careful_line {
    chain& self;
    context& ctx;
    std::size_t replica;
    range stages;
    void* end = nullptr;  // the tail of the last stage
    std::array<std::uint64_t, size> passed{};

    template <std::size_t I, class U> void give(U&& y) {
      if constexpr (!one_to_one<stage_at<I>>) ++passed[I - stages.first];
      if (I + 1 == stages.last) {
        (*static_cast<tail<mode::careful, I>*>(end))(std::forward<U>(y));
      } else if constexpr (I + 1 < size) {
        if constexpr (std::is_same_v<U, input<I + 1>>) {
          careful_step<I + 1>(*this, std::move(y));
        } else {
          careful_step<I + 1>(*this, input<I + 1>(std::forward<U>(y)));
        }
      }
    }

    [[nodiscard]] std::size_t last() const { return stages.last; }
    [[nodiscard]] bool has_sink() const { return stages.last == size && is_sink<size - 1>; }

    static void count(const careful_line& run, std::uint64_t in, std::size_t failed = no_stage) {
      count_items(run.stages, run.ctx, run.passed.data(), in, failed);
    }
  };

  // Adds up what has passed the stages of a range, of which `in` items entered the first.
  static void count_items(range r, context& ctx, const std::uint64_t* passed, std::uint64_t in,
                          std::size_t failed) {
    static constexpr auto same = []<std::size_t... I>(std::index_sequence<I...>) {
      return std::array<bool, size>{one_to_one<stage_at<I>>...};
    }(std::make_index_sequence<size>{});
    model::count_items(r, ctx, {same.data(), is_source<0>, is_sink<size - 1> && r.last == size}, passed, in,
                       failed);
  }

  template <std::size_t F, std::size_t L>
  static std::size_t loop(chain& self, std::size_t replica, context& ctx, pipe::chunk_base& items,
                          pipe::chunk_base* out) {
    auto& in = static_cast<pipe::chunk<input<F>>&>(items);
    line<F, L> run{ctx, self.template ops_of<F, L>(replica), tail_of<mode::plain, L>(ctx, out)};
    std::size_t done = 0;
    counting counted{run, done};
    const auto& cut = *ctx.cut;
    counted.watch([&]() THALWEG_INLINE {
      auto* const last = in.end();
      for (auto* x = in.begin(); x != last && !is_cut(ctx, cut); ++x) {
        ++done;
        run.template step<F>(std::move(*x));
      }
    });
    return done;
  }

  std::size_t careful(range r, std::size_t replica, context& ctx, pipe::chunk_base& in,
                      pipe::chunk_base* out) {
    static constexpr auto loops = careful_loops(std::make_index_sequence<size>{});
    static constexpr auto ends = careful_ends(std::make_index_sequence<size>{});
    careful_line run{*this, ctx, replica, r};
    std::size_t done = 0;
    counting counted{run, done};
    counted.watch([&] { ends[r.last - 1](run, out, [&] { loops[r.first](run, in, done); }); });
    return done;
  }

  template <std::size_t F>
  static void careful_loop(careful_line& run, pipe::chunk_base& items, std::size_t& done) {
    if constexpr (!is_source<F>) {
      auto& in = static_cast<pipe::chunk<input<F>>&>(items);
      auto& ctx = run.ctx;
      const auto& cut = *ctx.cut;
      auto* const first = in.begin();
      const auto n = in.size();
      const auto* const marks = in.marks();
      for (std::size_t i = 0; i < n && !is_cut(ctx, cut); ++i) {
        ctx.take_marks(marks != nullptr ? marks[i] : pipe::no_mark);
        ++done;
        careful_step<F>(run, std::move(first[i]));
      }
    }
  }

  template <std::size_t I> [[gnu::noinline]] static void careful_step(careful_line& run, input<I>&& item) {
    auto& ctx = run.ctx;
    auto& op = model::get<I>(run.self.slots_)[run.replica];
    const frame<mode::careful> f{ctx, I};
    if constexpr (is_sink<I>) {
      op.step(f, std::move(item));
      if (ctx.paced) ctx.arrived(ctx.due);
    } else {
      op.step(f, std::move(item), [&](auto&& y) { run.template give<I>(std::forward<decltype(y)>(y)); });
    }
  }

  template <std::size_t I>
  static void with_end(careful_line& run, pipe::chunk_base* out, function_ref<void()> f) {
    tail_of<mode::careful, I + 1> end(run.ctx, out);
    run.end = &end;
    f();
  }

  static THALWEG_INLINE bool is_cut(const context& ctx, const std::atomic<bool>& cut) {
    if (!pipe::glance(cut)) [[likely]]
      return false;
    if (ctx.interrupted()) throw cancelled{};
    return true;
  }

  template <std::size_t L>
  static produced pull(chain& self, context& ctx, std::size_t n, pipe::chunk_base* out) {
    line<0, L> run{ctx, self.template ops_of<0, L>(0), tail_of<mode::plain, L>(ctx, out)};
    return self.template pull_into<mode::plain>(run, ctx, n);
  }

  produced careful_pull(std::size_t last, context& ctx, std::size_t n, pipe::chunk_base* out) {
    static constexpr auto ends = careful_ends(std::make_index_sequence<size>{});
    careful_line run{*this, ctx, 0, {0, last}};
    produced made;
    ends[last - 1](run, out, [&] { made = pull_into<mode::careful>(run, ctx, n); });
    return made;
  }

  template <mode M, class Line> THALWEG_INLINE produced pull_into(Line& run, context& ctx, std::size_t n) {
    auto& source = model::get<0>(slots_)[0];
    const frame<M> f{ctx, 0};
    std::size_t made = 0;
    counting counted{run, made};
    return counted.watch([&]() THALWEG_INLINE {
      const auto next = [&](auto&& y) THALWEG_INLINE {
        ++made;
        run.template give<0>(std::forward<decltype(y)>(y));
      };
      if constexpr (requires { source.emit(f, next); }) {
        // It is called once, for the whole stream: who wants to know how far it is (and sets the quota to 0)
        // need not wait for its end.
        constexpr auto no_end = std::numeric_limits<std::size_t>::max();
        const auto& quota = ctx.ration(no_end);
        std::size_t before = 0;
        const auto next_of_all = [&](auto&& y) THALWEG_INLINE {
          next(std::forward<decltype(y)>(y));
          if (pipe::glance(quota) == 0) [[unlikely]] {
            Line::count(run, made);
            run.passed = {};
            before += std::exchange(made, 0);
            ctx.counted(0, run.last());
            (void)ctx.ration(no_end);
          }
        };
        try {
          source.emit(f, next_of_all);
        } catch (const cancelled&) {
          if (ctx.interrupted()) throw;  // otherwise the source was asked to end, and this is how it does
        }
        return produced{before + made, true};
      } else {
        const auto& quota = ctx.ration(n);
        while (made < pipe::glance(quota)) {
          if constexpr (waits_for_due_times) {
            if (!run.has_sink()) ctx.no_wait = made > 0;
          }
          if (!source.step(f, next)) return produced{made, gave_up(source)};
        }
        return produced{made, false};
      }
    });
  }

  static constexpr bool waits_for_due_times = [] {
    if constexpr (requires { stage_at<0>::paced; }) return stage_at<0>::paced;
    return false;
  }();

  // A source has given nothing: whether that was its end.
  template <class Source> static bool gave_up(const Source& source) {
    if constexpr (requires { source.held_up(); }) return !source.held_up();
    return true;
  }

  // A source whose own call may be retried or skipped: one call at a time, outputs handed on only after it
  // returned.
  template <std::size_t I> produced pull_guarded(context& ctx, std::size_t n, pipe::chunk_base* out) {
    auto& source = model::get<I>(slots_)[0];
    const frame<mode::plain> f{ctx, I};
    if constexpr (requires { source.step(f, [](auto&&) {}); }) {
      careful_line run{*this, ctx, 0, {I, I + 1}};
      tail_of<mode::careful, I + 1> end(ctx, out);
      run.end = &end;
      pipe::chunk<output<I>> item;
      std::size_t made = 0;
      const counting counted{run, made};
      const auto& quota = ctx.ration(n);
      while (made < pipe::glance(quota)) {
        if constexpr (waits_for_due_times) ctx.no_wait = made > 0;
        bool more = true;
        const bool ok = attempt(I, ctx, nullptr, nullptr, [&] {
          item.clear();
          more = source.step(f, [&](auto&& y) { item.emplace(std::forward<decltype(y)>(y)); });
        });
        if (!more) return {made, gave_up(source)};
        if constexpr (requires { source.give_up(f); }) {
          if (!ok) source.give_up(f);
        }
        if (!ok || item.empty()) continue;
        ++made;
        run.template give<I>(std::move(item[0]));
      }
      return {made, false};
    } else {
      return careful_pull(I + 1, ctx, n, out);
    }
  }

  // What a stage has given until its call has returned.
  struct none {};
  template <std::size_t I> static auto made_by() {
    if constexpr (is_sink<I>) {
      return std::type_identity<none>{};
    } else {
      return std::type_identity<pipe::chunk<output<I>>>{};
    }
  }
  template <std::size_t I> using held_back = typename decltype(made_by<I>())::type;

  // A stage whose errors have a policy: each item is kept until its call has returned, and so is its output.
  template <std::size_t I>
  static std::size_t guarded(chain& self, std::size_t replica, context& ctx, pipe::chunk_base& items,
                             pipe::chunk_base* out) {
    if constexpr (!is_source<I> && copyable<input<I>>) {  // otherwise such a job is refused before it runs
      auto& in = static_cast<pipe::chunk<input<I>>&>(items);
      auto& op = model::get<I>(self.slots_)[replica];
      const frame<mode::staged> f{ctx, I};
      tail_of<mode::careful, I + 1> end(ctx, out);
      auto& t = ctx.tallies[I];
      const auto n = in.size();
      [[maybe_unused]] held_back<I> staged;
      for (std::size_t i = 0; i < n; ++i) {
        if (is_cut(ctx, *ctx.cut)) return i;
        const input<I>& item = in[i];
        ctx.take_marks(in.mark_of(i));
        ++t.in;
        const bool ok = self.attempt(I, ctx, &item, &typeid(input<I>), [&] {
          if constexpr (is_sink<I>) {
            op.step(f, item);
          } else {
            staged.clear();
            op.step(f, item, [&](auto&& y) { staged.emplace(std::forward<decltype(y)>(y)); });
          }
        });
        if (!ok) continue;
        if constexpr (is_sink<I>) {
          if (ctx.paced) ctx.arrived(ctx.due);
        } else {
          t.out += staged.size();
          for (auto& y : staged) end(std::move(y));
        }
      }
      return n;
    } else {
      return items.size();
    }
  }

  // For hooks that may still send: what they send is the output of stage I.
  template <std::size_t I, class F> void run_tail(context& ctx, pipe::chunk_base* out, F&& f) {
    if constexpr (is_sink<I>) {
      auto nowhere = [](auto&&) {};
      f(nowhere);
    } else {
      tail<mode::careful, I> end(ctx, out);
      auto next = [&](auto&& y) {
        ++ctx.tallies[I].out;
        end(std::forward<decltype(y)>(y));
      };
      f(next);
    }
  }

  pack<Leaves...> leaves_;
  typename slots<std::make_index_sequence<size>>::type slots_;
};

}  // namespace THALWEG_NAMESPACE::model
