/// `test`: tests a stage or a pattern alone, item by item, with its own clock. Works with any test framework,
/// and without one.
#pragma once

#include <thalweg/model/graph.hpp>
#include <thalweg/test/bench.hpp>
#include <thalweg/test/show.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

namespace testing_detail {

/// The steps that are possible at any place of a chain.
template <class Self> class steps {
 public:
  /// Lets time pass: what is due meanwhile (intervals, windows, paced sources) happens, in order. Time begins
  /// at 0, and passes only when a test says so, or a stage waits before a retry.
  Self& advance(std::chrono::nanoseconds by) {
    if (by.count() < 0) bench_->fail("advance: time does not go back");
    bench_->advance(by);
    return self();
  }
  /// Lets time pass until it is `when`: `.at(5s).send(3)`.
  Self& at(std::chrono::nanoseconds when) {
    if (when < bench_->now())
      bench_->fail("at: this time has already passed: the test is at " + ns(bench_->now()));
    return advance(when - bench_->now());
  }
  /// Nothing more comes on any input, and a source is stopped: `on_end` is called. Later expectations see
  /// what it sent. Without this step the end comes when the test is over.
  Self& end() {
    bench_->end();
    return self();
  }
  /// Lets a source give `items` items more, or all that it has. A paced one waits for its times, which takes
  /// no real time.
  Self& run(std::size_t items = std::numeric_limits<std::size_t>::max()) {
    bench_->run_source(items);
    return self();
  }
  /// The stage has thrown an E (or something derived from it) whose text contains `part`. What it sent before
  /// can also be expected; it does nothing more.
  template <class E = std::exception> Self& expect_error(const std::string& part = "") {
    bench_->looked();
    const auto why = bench_->take_error();
    const auto wanted = "an error of type " + model::type_name(typeid(E));
    if (!why) bench_->fail("expected " + wanted + ", but none was thrown");
    const auto text = model::message_of(why);
    if (!is<E>(why)) bench_->fail("expected " + wanted + ", but another one came: " + text);
    if (text.find(part) == std::string::npos)
      bench_->fail("expected " + wanted + " that says\n  " + part + "\nbut it says\n  " + text);
    return self();
  }
  /// The stage has ended: by itself (`stage::end()`, the end of a source), or with its inputs.
  Self& expect_ended() {
    bench_->looked();
    if (!bench_->over()) bench_->fail("expected it to have ended, but it has not");
    return self();
  }
  /// The stage has not ended.
  Self& expect_running() {
    bench_->looked();
    if (bench_->over()) bench_->fail("expected it to go on, but it has ended");
    return self();
  }

 protected:
  explicit steps(bench& b) : bench_(&b) {}
  ~steps() = default;
  steps(const steps&) = default;
  steps& operator=(const steps&) = default;

  bench* bench_;

 private:
  static std::string ns(std::chrono::nanoseconds t) { return std::to_string(t.count()) + " ns"; }
  Self& self() { return static_cast<Self&>(*this); }
  // Whether an error, or what it was caused by, is an E.
  template <class E> static bool is(const std::exception_ptr& why) {
    try {
      std::rethrow_exception(why);
    } catch (const stage_error& e) {
      if constexpr (std::is_base_of_v<E, stage_error>) return true;
      return e.cause() && is_exactly<E>(e.cause());
    } catch (...) {
      return is_exactly<E>(why);
    }
  }
  template <class E> static bool is_exactly(const std::exception_ptr& why) {
    try {
      std::rethrow_exception(why);
    } catch (const E&) {
      return true;
    } catch (...) {
      return false;
    }
  }
};

/// Sending to an input.
template <class Self, class T> class sends {
 public:
  /// Sends items, one after the other: each is worked on before the next one comes.
  template <class... A>
    requires(std::convertible_to<A, T> && ...)
  Self& send(A&&... items) {
    (send_one(std::forward<A>(items)), ...);
    return static_cast<Self&>(*this);
  }
  /// The same for a list of them.
  Self& send(std::vector<T> items) {
    for (auto& x : items) send_one(std::move(x));
    return static_cast<Self&>(*this);
  }
  /// Nothing more comes on this input. When that holds of all inputs, `on_end` is called.
  Self& close() {
    bench_->close(input_);
    return static_cast<Self&>(*this);
  }
  /// The stage has not taken this many of the items that were sent to this input: it reads its inputs itself
  /// and has not reached them, or it has ended. At the end of the test exactly this many must be left, by
  /// default none: otherwise the test fails.
  Self& expect_left(std::size_t items) {
    bench_->looked();
    if (const auto n = bench_->left(input_); n != items)
      bench_->fail("input " + bench_->input_name(input_) + " was expected to have " + std::to_string(items) +
                   " items left, but it has " + std::to_string(n));
    bench_->expect_left(input_, items);
    return static_cast<Self&>(*this);
  }

 protected:
  sends(bench& b, std::size_t input) : bench_(&b), input_(input) {}
  ~sends() = default;

 private:
  void send_one(T item) {
    pipe::chunk<T> one;
    one.emplace(std::move(item));
    bench_->give(input_, one);
  }
  bench* bench_;
  std::size_t input_;
};

/// What is expected from an output: each expectation is about everything that the output has sent since the
/// previous one.
template <class Self, class T> class expects {
 public:
  /// The output has sent these items, in this order, and no others.
  template <class... A>
    requires(sizeof...(A) > 0 && (std::convertible_to<A, T> && ...))
  Self& expect(A&&... items) {
    return expect(listed(std::forward<A>(items)...));
  }
  /// The same for a list of them.
  Self& expect(const std::vector<T>& items) {
    return compare(items, [](const auto& a, const auto& b) { return difference(a, b); });
  }
  /// The output has sent these items, in any order, and no others.
  template <class... A>
    requires(sizeof...(A) > 0 && (std::convertible_to<A, T> && ...))
  Self& expect_in_any_order(A&&... items) {
    return expect_in_any_order(listed(std::forward<A>(items)...));
  }
  /// The same for a list of them.
  Self& expect_in_any_order(const std::vector<T>& items) {
    return compare(items, [](const auto& a, const auto& b) { return difference_in_any_order(a, b); });
  }
  /// The output has sent nothing.
  Self& expect_nothing() {
    const auto n = bench_->sent(output_).size();
    bench_->looked();
    if (n > 0)
      bench_->fail("output " + bench_->output_name(output_) + " was expected to send nothing, but sent\n  " +
                   text_of(bench_->sent(output_)));
    return static_cast<Self&>(*this);
  }
  /// What the output has sent, for other checks.
  [[nodiscard]] std::vector<T> take() {
    auto& c = static_cast<pipe::chunk<T>&>(bench_->sent(output_));
    std::vector<T> items;
    items.reserve(c.size());
    for (auto& x : c) items.push_back(std::move(x));
    c.clear();
    bench_->looked();
    return items;
  }
  /// What this output sends, until the end of the test, need not be expected.
  Self& ignore() {
    bench_->ignore(output_);
    return static_cast<Self&>(*this);
  }

 protected:
  expects(bench& b, std::size_t output) : bench_(&b), output_(output) { b.show(output, text_of); }
  ~expects() = default;

 private:
  static std::string text_of(pipe::chunk_base& items) {
    auto& c = static_cast<pipe::chunk<T>&>(items);
    return shown_list(c.size(), 0, [&](std::size_t i) { return shown(c[i]); });
  }
  template <class... A> static std::vector<T> listed(A&&... items) {
    std::vector<T> all;
    all.reserve(sizeof...(A));
    (all.push_back(static_cast<T>(std::forward<A>(items))), ...);
    return all;
  }
  template <class Differ> Self& compare(const std::vector<T>& expected, Differ differ) {
    static_assert(std::equality_comparable<T>,
                  "thalweg::test: these items cannot be compared with ==: look at them with take()");
    if (const auto how = differ(expected, take()))
      bench_->fail("output " + bench_->output_name(output_) + " did not send what was expected" + *how);
    return static_cast<Self&>(*this);
  }

  bench* bench_;
  std::size_t output_;
};

template <class Self> class sends<Self, model::nothing> {
 protected:
  sends(bench&, std::size_t) {}
};
template <class Self> class expects<Self, model::nothing> {
 protected:
  expects(bench&, std::size_t) {}
};

template <class T> class to_port;
template <class T> class from_port;

/// A chain over a stage, which goes from port to port.
template <class Self> class stage_steps : public steps<Self> {
 public:
  /// The following steps are about this input.
  template <class T> to_port<T> to(const in<T>& port) {
    return to_port<T>(bench_of(), bench_of().number_of(port));
  }
  /// The following steps are about this output.
  template <class T> from_port<T> from(const out<T>& port) {
    return from_port<T>(bench_of(), bench_of().number_of(port));
  }
  /// The same by name: `.to<int>("numbers")`.
  template <class T> to_port<T> to(const std::string& port) {
    return to_port<T>(bench_of(), bench_of().input(port, typeid(T)).index());
  }
  template <class T> from_port<T> from(const std::string& port) {
    return from_port<T>(bench_of(), bench_of().output(port, typeid(T)).index());
  }

 protected:
  using steps<Self>::steps;
  ~stage_steps() = default;

 private:
  bench& bench_of() { return *this->bench_; }
};

template <class T> class to_port final : public stage_steps<to_port<T>>, public sends<to_port<T>, T> {
 public:
  to_port(bench& b, std::size_t input) : stage_steps<to_port<T>>(b), sends<to_port<T>, T>(b, input) {}
};
template <class T> class from_port final : public stage_steps<from_port<T>>, public expects<from_port<T>, T> {
 public:
  from_port(bench& b, std::size_t output)
      : stage_steps<from_port<T>>(b), expects<from_port<T>, T>(b, output) {}
};

/// Its end is the end of the test.
class owner {
 public:
  owner(const owner&) = delete;
  owner& operator=(const owner&) = delete;
  /// Concludes the test. Throws `test_failure` as `done` does, but not while another exception is on its way.
  ~owner() noexcept(false) {
    if (std::uncaught_exceptions() == exceptions_) own_->conclude();
  }
  /// Ends the run, and fails if items or an error have come that no expectation covers, or if nothing was
  /// expected at all. The destructor does the same.
  void done() { own_->conclude(); }

 protected:
  explicit owner(std::unique_ptr<bench> b) : own_(std::move(b)) {}

  std::unique_ptr<bench> own_;

 private:
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace testing_detail

/// A test of a `tw::stage`: what `tw::test(stage)` gives.
class stage_test final : public testing_detail::owner, public testing_detail::stage_steps<stage_test> {
 public:
  stage_test(stage& s, std::source_location where)
      : owner(std::make_unique<testing_detail::bench>(s, where)), stage_steps(*own_) {}
};

/// A test of a line of patterns: what `tw::test(pattern)` gives.
template <class In, class Out>
class line_test final : public testing_detail::owner,
                        public testing_detail::steps<line_test<In, Out>>,
                        public testing_detail::sends<line_test<In, Out>, In>,
                        public testing_detail::expects<line_test<In, Out>, Out> {
 public:
  explicit line_test(std::unique_ptr<testing_detail::bench> b)
      : owner(std::move(b)),
        testing_detail::steps<line_test>(*own_),
        testing_detail::sends<line_test, In>(*own_, 0),
        testing_detail::expects<line_test, Out>(*own_, 0) {}
};

/// Tests a stage alone, as a chain of what is sent to it and what is expected from it. Nothing else runs:
/// each step is done at once, on the calling thread, so each expectation is about what the stage has sent
/// since the previous one. The stage lives as in a real run: `validate()` and `on_start()` first, then items
/// one by one, and `on_end()` when all inputs are closed, at `end()`, or when the test is over.
///
/// Fails with a `tw::test_failure` that names the place of the test, the port, what was expected and what
/// came: at the expectation, or at the end of the full expression (of the block, if the test has a name) if
/// unexpected items or an unexpected error came, if the stage has left items at an input, or if nothing was
/// expected at all. A stage that cannot run is an `invalid_job`, as anywhere.
///
/// It cannot test what needs more than one stage: an ordered `tw::merge` needs the split whose order it
/// restores.
///
/// ```cpp
/// #include <thalweg/test.hpp>
/// struct splitter : tw::stage {
///   tw::in<int> numbers{this, "numbers"};
///   tw::out<int> even{this, "even"}, odd{this, "odd"};
///   void on_item(tw::in<int>&, int x) { (x % 2 == 0 ? even : odd).send(x); }
/// };
/// splitter s;
/// tw::test(s).to(s.numbers).send(1, 2, 3).from(s.even).expect(2).from(s.odd).expect(1, 3);
/// try {
///   tw::test(s).to(s.numbers).send(1, 2, 3).from(s.even).expect(4);
///   assert(false);
/// } catch (const tw::test_failure& e) {
///   assert(std::string(e.what()).find("item 0: 4 was expected, but 2 came") != std::string::npos);
/// }
/// ```
inline stage_test test(stage& s, std::source_location where = std::source_location::current()) {
  return stage_test(s, where);
}

/// The same for a pattern, or a line of patterns, with at most one input and one output. If its operator
/// takes any type (a generic lambda, `tw::batch`), say which one it gets: `tw::test<int>(tw::batch(2))`. In a
/// farm there is one replica. Times of windows, batches and paced sources are those of the test's clock.
///
/// ```cpp
/// #include <thalweg/test.hpp>
/// tw::test(tw::map([](int x) { return 2 * x; })).send(1, 2).expect(2, 4);
/// tw::test<int>(tw::batch(2)).send(1, 2, 3).expect({{1, 2}}).end().expect({{3}});
/// tw::test<int>(tw::batch(9, 5s)).send(1, 2).advance(4s).expect_nothing().advance(1s).expect({{1, 2}});
/// tw::test(tw::paced([n = 0]() mutable -> std::optional<int> { return n++; }, 1.0)).at(2s).expect(0, 1, 2);
/// ```
template <class In = model::deduced, model::any_typed_pipeline Line>
auto test(Line line, std::source_location where = std::source_location::current()) {
  using wanted = typename model::first_wanted<Line>::type;
  constexpr bool given = !std::is_same_v<In, model::deduced>;
  constexpr bool known = given || !(std::is_same_v<wanted, model::anything> ||
                                    std::is_same_v<wanted, model::nothing> != Line::has_source);
  static_assert(known,
                "thalweg::test: the operator takes items of any type: name the type that it gets here with "
                "test<T>(...)");
  using in = std::conditional_t<!known, model::misfit, std::conditional_t<given, In, wanted>>;
  using out = typename Line::template output<in>;
  std::vector<std::unique_ptr<model::component>> parts;
  model::naming names;
  if constexpr (model::has_length<Line>) {
    parts.push_back(model::lower<in>(std::move(line), names));
  } else {
    for (const auto& p : std::move(line).parts()) parts.push_back(p->build(names));
  }
  return line_test<in, out>(std::make_unique<testing_detail::bench>(std::move(parts), where));
}

}  // namespace THALWEG_NAMESPACE
