/// `test_failure`: what a test of a stage throws.
#pragma once

#include <thalweg/model/component.hpp>
#include <thalweg/model/errors.hpp>
#include <thalweg/model/stage.hpp>
#include <thalweg/pipe/chunk.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <typeinfo>
#include <vector>

namespace THALWEG_NAMESPACE {

/// A test has failed. The text says where the test is, which port it is about, what was expected and what
/// came.
struct test_failure : error {
  using error::error;
};

namespace testing_detail {

/// Executes a stage, or a line of stages, alone: on the calling thread, item by item, with its own clock that
/// begins at 0. What the stage throws is kept.
class bench {
 public:
  bench(stage& s, std::source_location where);
  /// Components of a line, each of which takes what the one before it gives.
  bench(std::vector<std::unique_ptr<model::component>> line, std::source_location where);
  bench(const bench&) = delete;
  bench& operator=(const bench&) = delete;
  ~bench();

  /// Gives the items to an input and lets the stage work on them.
  void give(std::size_t input, pipe::chunk_base& items);
  /// Nothing more comes on this input.
  void close(std::size_t input);
  /// Nothing more comes on any input, and a source is stopped: the end hooks are called.
  void end();
  /// Lets a source give this many items, or all.
  void run_source(std::size_t items);
  /// Lets time pass, with what is due meanwhile.
  void advance(std::chrono::nanoseconds by);
  [[nodiscard]] std::chrono::nanoseconds now() const noexcept;
  /// The stage has ended by itself, or with its inputs.
  [[nodiscard]] bool over() const noexcept;

  /// What an output has sent since it was last taken. `show` gives it as text.
  [[nodiscard]] pipe::chunk_base& sent(std::size_t output);
  void show(std::size_t output, std::function<std::string(pipe::chunk_base&)> show);
  /// The test has an expectation.
  void looked() noexcept;
  /// What this output sends need not be looked at.
  void ignore(std::size_t output) noexcept;
  /// What the stage has thrown, if anything; it counts as expected from now on.
  [[nodiscard]] std::exception_ptr take_error();

  /// How many of the items sent to an input the stage has not taken: they wait, or it wants no more.
  [[nodiscard]] std::size_t left(std::size_t input) const;
  /// At the end of the test this many must be left there.
  void expect_left(std::size_t input, std::size_t items) noexcept;

  /// The number of a port, which must be one of the stage's.
  [[nodiscard]] std::size_t number_of(const model::input_port& p);
  [[nodiscard]] std::size_t number_of(const model::output_port& p);
  [[nodiscard]] const model::input_port& input(const std::string& name, const std::type_info& type);
  [[nodiscard]] const model::output_port& output(const std::string& name, const std::type_info& type);
  [[nodiscard]] std::string input_name(std::size_t input) const;
  [[nodiscard]] std::string output_name(std::size_t output) const;

  /// Throws a `test_failure`, after which nothing more is checked.
  [[noreturn]] void fail(const std::string& what);
  /// The end of the test: ends the run, and fails if something unexpected has happened.
  void conclude();

 private:
  class impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace testing_detail
}  // namespace THALWEG_NAMESPACE
