#pragma once

#include <thalweg/model/chain_base.hpp>
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

/// Adds to the tallies what a line of stages has counted, however its run ends.
template <class Line> struct counting {
  Line& line;
  std::size_t& items;
  std::size_t failed = no_stage;  ///< the stage whose failure ends the run, if one does

  THALWEG_INLINE ~counting() { Line::count(line, items, failed); }
};

/// A line of typed stages, lowered: the component whose loops the compiler sees whole. Every range of stages
/// that is worth it becomes one plain loop, in which each stage calls the next one directly.
template <class Input, class... Leaves> class chain final : public chain_base {
 public:
  static constexpr std::size_t size = sizeof...(Leaves);

  chain(std::vector<stage_info>&& infos, pack<Leaves...>&& leaves)
      : chain_base(std::move(infos), tables()), leaves_(std::move(leaves)) {}

 private:
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
  template <std::size_t I>
  static constexpr bool shared = leaf_at<I>::farm >= 0 && shares_function<stage_at<I>>;
  template <std::size_t I>
  static constexpr bool in_turn = [] {
    if constexpr (!shared<I> && requires { &stage_at<I>::fn; })
      return leaf_at<I>::farm >= 0 && made_in_turn<function_of<stage_at<I>>>;
    return false;
  }();
  template <std::size_t I> static auto kind_of_op() {
    if constexpr (shared<I>) {
      return std::type_identity<op_shared<stage_at<I>, input<I>>>{};
    } else {
      return std::type_identity<op_owned<stage_at<I>, input<I>>>{};
    }
  }
  template <std::size_t I> using op_type = typename decltype(kind_of_op<I>())::type;

  // Of a replica that has been started.
  template <std::size_t I> auto& op(std::size_t replica) const noexcept {
    return *static_cast<op_type<I>*>(ops_[I].at(replica));
  }

  // What the replicas of a stage have in common.
  struct nothing_in_common {};
  template <std::size_t I> struct one_for_all {
    std::once_flag once;
    std::optional<typename shared_operator<stage_at<I>, shared<I>>::type> fn;
  };
  struct one_by_one {
    std::mutex making;
  };
  template <std::size_t I>
  using in_common = std::conditional_t<shared<I>, one_for_all<I>,
                                       std::conditional_t<in_turn<I>, one_by_one, nothing_in_common>>;
  template <class Is> struct all_in_common;
  template <std::size_t... I>
  struct all_in_common<std::index_sequence<I...>> : std::type_identity<pack<in_common<I>...>> {};

  template <std::size_t I>
  static constexpr bool has_end = [] {
    if constexpr (requires { stage_at<I>::template ends<input<I>>; })
      return stage_at<I>::template ends<input<I>>;
    return false;
  }();
  template <std::size_t I> static constexpr bool has_timer = requires(op_type<I>& op) { op.deadline(); };

  // Keys and their states, in a farm whose keys are divided up.
  template <std::size_t I> using states_of = pipe::chunk<typename op_type<I>::kept>;
  template <std::size_t I>
  static constexpr bool gives_states =
      leaf_at<I>::farm >= 0 && requires(op_type<I>& op, states_of<I>& states) { op.take_states(states); };

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

  // The loops are functions by themselves, found in tables: in one function that holds them all the compiler
  // takes a multiple of the time.
  using loop_entry = chain_tables::loop;
  template <std::size_t F, std::size_t L> static constexpr loop_entry entry() {
    if constexpr (is_source<F>) {
      return {{F, L}, nullptr, pull<L>};
    } else {
      return {{F, L}, loop<F, L>, nullptr};
    }
  }
  // Each stage alone, and what of the longest lines that begin with it is longer.
  template <std::size_t I> static constexpr bool begins_line = line_begins<I>() && line_end<I>() > I + 1;
  template <std::size_t I>
  static constexpr bool begins_loop = loop_begins<I>() && loop_end<I>() > line_end<I>();
  template <std::size_t I, std::size_t N>
  static constexpr void add_longer(std::array<loop_entry, N>& all, std::size_t& n) {
    if constexpr (begins_line<I>) all[n++] = entry<I, line_end<I>()>();
    if constexpr (begins_loop<I>) all[n++] = entry<I, loop_end<I>()>();
  }
  template <std::size_t... I> static constexpr auto loops(std::index_sequence<I...>) {
    std::array<loop_entry, size + (0 + ... + (begins_line<I> + begins_loop<I>))> all{entry<I, I + 1>()...};
    std::size_t n = size;
    (add_longer<I>(all, n), ...);
    return all;
  }
  template <std::size_t... I> static constexpr auto careful_loops(std::index_sequence<I...>) {
    return std::array<void (*)(careful_line&, pipe::chunk_base&, std::size_t&), size>{careful_loop<I>...};
  }
  template <std::size_t... I> static constexpr auto careful_ends(std::index_sequence<I...>) {
    return std::array<void (*)(careful_line&, pipe::chunk_base*, function_ref<void()>), size>{with_end<I>...};
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
  template <std::size_t F, std::size_t... I> struct operators<F, std::index_sequence<I...>> {
    using type = pack<op_type<F + I>*...>;
    static type of(const chain& self, std::size_t replica) {
      return {{&self.template op<F + I>(replica)}...};
    }
  };
  template <std::size_t F, std::size_t L> using operators_in = operators<F, std::make_index_sequence<L - F>>;

  // The operators of a range, and what a run of items counts. Stages that give one output per input count
  // nothing.
  template <std::size_t F, std::size_t L> struct line {
    context& ctx;
    typename operators_in<F, L>::type ops;
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
  static std::size_t loop(chain_base& self, std::size_t replica, context& ctx, pipe::chunk_base& items,
                          pipe::chunk_base* out) {
    auto& in = static_cast<pipe::chunk<input<F>>&>(items);
    line<F, L> run{ctx, operators_in<F, L>::of(static_cast<chain&>(self), replica),
                   tail_of<mode::plain, L>(ctx, out)};
    std::size_t done = 0;
    counting<line<F, L>> counted{run, done};
    const auto& cut = *ctx.cut;
    try {
      auto* const last = in.end();
      for (auto* x = in.begin(); x != last && !is_cut(ctx, cut); ++x) {
        ++done;
        run.template step<F>(std::move(*x));
      }
    } catch (const stage_failure& failure) {
      counted.failed = failure.leaf;
      throw;
    }
    return done;
  }

  static std::size_t careful(chain_base& self, range r, std::size_t replica, context& ctx,
                             pipe::chunk_base& in, pipe::chunk_base* out) {
    static constexpr auto loops = careful_loops(std::make_index_sequence<size>{});
    static constexpr auto ends = careful_ends(std::make_index_sequence<size>{});
    careful_line run{static_cast<chain&>(self), ctx, replica, r};
    std::size_t done = 0;
    counting<careful_line> counted{run, done};
    try {
      ends[r.last - 1](run, out, [&] { loops[r.first](run, in, done); });
    } catch (const stage_failure& failure) {
      counted.failed = failure.leaf;
      throw;
    }
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
    auto& op = run.self.template op<I>(run.replica);
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
  static produced pull(chain_base& self, context& ctx, std::size_t n, pipe::chunk_base* out) {
    auto& me = static_cast<chain&>(self);
    line<0, L> run{ctx, operators_in<0, L>::of(me, 0), tail_of<mode::plain, L>(ctx, out)};
    return me.template pull_into<mode::plain>(run, ctx, n);
  }

  static produced careful_pull(chain_base& self, std::size_t last, context& ctx, std::size_t n,
                               pipe::chunk_base* out) {
    auto& me = static_cast<chain&>(self);
    static constexpr auto ends = careful_ends(std::make_index_sequence<size>{});
    careful_line run{me, ctx, 0, {0, last}};
    produced made;
    ends[last - 1](run, out, [&] { made = me.template pull_into<mode::careful>(run, ctx, n); });
    return made;
  }

  template <mode M, class Line> THALWEG_INLINE produced pull_into(Line& run, context& ctx, std::size_t n) {
    auto& source = op<0>(0);
    const frame<M> f{ctx, 0};
    std::size_t made = 0;
    counting<Line> counted{run, made};
    try {
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
    } catch (const stage_failure& failure) {
      counted.failed = failure.leaf;
      throw;
    }
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
  template <std::size_t I>
  static produced pull_guarded(chain_base& self, context& ctx, std::size_t n, pipe::chunk_base* out) {
    auto& me = static_cast<chain&>(self);
    auto& source = me.template op<I>(0);
    const frame<mode::plain> f{ctx, I};
    if constexpr (requires { source.step(f, [](auto&&) {}); }) {
      careful_line run{me, ctx, 0, {I, I + 1}};
      tail_of<mode::careful, I + 1> end(ctx, out);
      run.end = &end;
      pipe::chunk<output<I>> item;
      std::size_t made = 0;
      const counting<careful_line> counted{run, made};
      const auto& quota = ctx.ration(n);
      while (made < pipe::glance(quota)) {
        if constexpr (waits_for_due_times) ctx.no_wait = made > 0;
        bool more = true;
        const bool ok = me.attempt(I, ctx, nullptr, nullptr, [&] {
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
      return careful_pull(self, I + 1, ctx, n, out);
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
  static std::size_t guarded(chain_base& self, std::size_t replica, context& ctx, pipe::chunk_base& items,
                             pipe::chunk_base* out) {
    auto& in = static_cast<pipe::chunk<input<I>>&>(items);
    auto& me = static_cast<chain&>(self);
    auto& op = me.template op<I>(replica);
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
      const bool ok = me.attempt(I, ctx, &item, &typeid(input<I>), [&] {
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
  }

  template <std::size_t I> static void destroy(void* op) noexcept { delete static_cast<op_type<I>*>(op); }

  template <std::size_t I> static replicas::owned make_op(chain_base& self) {
    auto& me = static_cast<chain&>(self);
    auto& stage = model::get<I>(me.leaves_).stage;
    if constexpr (shared<I>) {
      auto& common = model::get<I>(me.common_);
      std::call_once(common.once, [&] { common.fn.emplace(std::move(stage.fn)); });
      return {new op_type<I>(stage.template bind<input<I>>(std::as_const(*common.fn))), {destroy<I>}};
    } else if constexpr (in_turn<I>) {
      const std::lock_guard hold(model::get<I>(me.common_).making);
      return {new op_type<I>(stage.template make<input<I>>()), {destroy<I>}};
    } else {
      return {new op_type<I>(stage.template make<input<I>>()), {destroy<I>}};
    }
  }

  // The output of stage I, for hooks that may still send.
  template <std::size_t I> struct late_output {
    context& ctx;
    tail<mode::careful, I> end;

    late_output(context& c, pipe::chunk_base* out) : ctx(c), end(c, out) {}
    template <class U> void operator()(U&& y) {
      ++ctx.tallies[I].out;
      end(std::forward<U>(y));
    }
  };
  struct nowhere {
    nowhere(context&, pipe::chunk_base*) {}
    template <class U> void operator()(U&&) const {}
  };
  template <std::size_t I> using late_output_of = std::conditional_t<is_sink<I>, nowhere, late_output<I>>;

  template <std::size_t I> static void finish_op(void* op, context& ctx, pipe::chunk_base* out) {
    late_output_of<I> next(ctx, out);
    frame<mode::plain> f{ctx, I};
    static_cast<op_type<I>*>(op)->finish(f, next);
  }
  template <std::size_t I> static void tell_time(void* op, context& ctx, pipe::chunk_base* out) {
    late_output_of<I> next(ctx, out);
    frame<mode::plain> f{ctx, I};
    static_cast<op_type<I>*>(op)->on_time(f, next);
  }
  template <std::size_t I> static void catch_up_op(void* op, context& ctx, pipe::chunk_base* out) {
    late_output_of<I> next(ctx, out);
    frame<mode::plain> f{ctx, I};
    static_cast<op_type<I>*>(op)->catch_up(f, next);
  }

  template <std::size_t I>
  static void divide_items(const chain_base& self, pipe::chunk_base& in,
                           std::span<const std::unique_ptr<pipe::chunk_base>> parts, std::int64_t first,
                           std::vector<std::uint8_t>& who, std::span<const std::uint8_t> places) {
    using items = pipe::chunk<input<I>>;
    const auto& me = static_cast<const chain&>(self);
    auto& from = static_cast<items&>(in);
    const auto n = from.size();
    const bool may_fail = !self.stages()[I].opts.on_error.plain();
    const auto count = places.empty() ? parts.size() : places.size();
    for (std::size_t i = 0; i < n; ++i) {
      try {
        // The low bits find the key's place in the table of its part.
        who[i] =
            static_cast<std::uint8_t>((model::get<I>(me.leaves_).stage.hash_of_key(from[i]) >> 24U) % count);
      } catch (...) {
        if (!may_fail) claim_failure(I);
        who[i] = 0;  // which asks for the key once more, and deals with the error
      }
      static_cast<items&>(*parts[places.empty() ? who[i] : places[who[i]]])
          .emplace_marked({from.due(i), first + static_cast<std::int64_t>(i)}, std::move(from[i]));
    }
  }

  template <std::size_t I>
  static void take_times_of(const chain_base& self, pipe::chunk_base* in, std::int64_t now,
                            stream_clock& clock, std::vector<moment>& moments) {
    const auto& s = model::get<I>(static_cast<const chain&>(self).leaves_).stage;
    if (in == nullptr) {
      moments.push_back(s.moment_without_items(now, clock));
      return;
    }
    for (const auto& x : static_cast<pipe::chunk<input<I>>&>(*in))
      moments.push_back(s.moment_of(x, now, clock));
  }

  template <std::size_t I> static void give_late_items(chain_base& self, pipe::chunk_base& items) {
    auto& s = model::get<I>(static_cast<chain&>(self).leaves_).stage;
    for (const auto& x : static_cast<pipe::chunk<input<I>>&>(items)) s.give_late(x);
  }

  template <class Items> static std::unique_ptr<pipe::chunk_base> make_items() {
    return std::unique_ptr<pipe::chunk_base>(new Items);
  }

  template <std::size_t I> static constexpr stage_hooks hooks_of() {
    stage_hooks its;
    its.make_op = make_op<I>;
    if constexpr (requires(op_type<I>& op) { op.start(); })
      its.start = [](void* op) { static_cast<op_type<I>*>(op)->start(); };
    if constexpr (!is_sink<I>) its.make_chunk = make_items<pipe::chunk<output<I>>>;
    if constexpr (has_end<I>) its.finish = finish_op<I>;
    if constexpr (has_timer<I>) {
      its.deadline = [](const void* op) -> std::int64_t {
        return static_cast<const op_type<I>*>(op)->deadline();
      };
      its.on_time = tell_time<I>;
    }
    if constexpr (requires { op_type<I>::catches_up; }) its.catch_up = catch_up_op<I>;
    if constexpr (requires(const stage_at<I>& s, const input<I>& x) { s.hash_of_key(x); })
      its.divide = divide_items<I>;
    if constexpr (requires(const stage_at<I>& s, const input<I>& x, stream_clock& clock) {
                    s.moment_of(x, std::int64_t{}, clock);
                  })
      its.take_times = take_times_of<I>;
    if constexpr (requires(stage_at<I>& s, const input<I>& x) { s.give_late(x); })
      its.give_late = give_late_items<I>;
    if constexpr (gives_states<I>) {
      its.make_states = make_items<states_of<I>>;
      its.take_states = [](void* op, pipe::chunk_base& into) {
        static_cast<op_type<I>*>(op)->take_states(static_cast<states_of<I>&>(into));
      };
      its.put_states = [](void* op, pipe::chunk_base& from) {
        static_cast<op_type<I>*>(op)->put_states(static_cast<states_of<I>&>(from));
      };
    }
    return its;
  }

  template <std::size_t... I>
  static constexpr std::array<stage_hooks, size> all_hooks(std::index_sequence<I...>) {
    return {hooks_of<I>()...};
  }
  // A source has another one, and items that cannot be copied have none: such a job is refused before it
  // runs.
  template <std::size_t I> static constexpr chain_tables::run_items guarded_loop() {
    if constexpr (is_source<I> || !copyable<input<I>>) {
      return nullptr;
    } else {
      return guarded<I>;
    }
  }
  template <std::size_t... I>
  static constexpr std::array<chain_tables::run_items, size> guarded_loops(std::index_sequence<I...>) {
    return {guarded_loop<I>()...};
  }

  static const chain_tables& tables() {
    using all = std::make_index_sequence<size>;
    static constexpr auto hooks = all_hooks(all{});
    static constexpr auto every_loop = loops(all{});
    static constexpr auto by_stage = guarded_loops(all{});
    static constexpr chain_tables its = [] {
      chain_tables t{hooks, every_loop, by_stage};
      t.careful = careful;
      if constexpr (is_source<0>) {
        t.pull_guarded = pull_guarded<0>;
        t.careful_pull = careful_pull;
      }
      return t;
    }();
    return its;
  }

  pack<Leaves...> leaves_;
  typename all_in_common<std::make_index_sequence<size>>::type common_;
};

}  // namespace THALWEG_NAMESPACE::model
