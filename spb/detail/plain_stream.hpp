#pragma once

#include <cstddef>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "apps/support/error.hpp"
#include "spb/detail/intake.hpp"
#include "spb/detail/operation.hpp"
#include "spb/detail/session.hpp"

namespace spb::detail {

/// What `init_bench` has made. \throws apps::error  if it has not been called
template <class T> T& opened(std::optional<T>& one) {
  if (!one) throw apps::error("init_bench has not been called");
  return *one;
}

/// The stream of an application that has a source and a sink, and nothing else that its operators share.
template <class Item, class Source, class Sink> class plain_stream {
 public:
  void open(Source source, Sink sink) {
    intake_.emplace(appending<Source>{std::move(source)});
    sink_.emplace(std::move(sink));
  }
  void open(Source source, std::filesystem::path output, const auto&... for_sink) {
    open(std::move(source), Sink(std::move(output), for_sink...));
  }
  /// Completes the output.
  void complete() { opened(sink_).close(); }
  /// Gives everything up.
  void discard() {
    intake_.reset();
    sink_.reset();
  }

  /// Fills an item; false at the end. By any number of threads.
  bool take(feed& by, Item& item) {
    return guarded(false, [&] { return opened(intake_).take(by, item); });
  }
  /// Gives an item to the sink. By any number of threads.
  void write(std::size_t operation, Item& item) {
    give(operation, item, [](Sink& sink, Item& all) {
      for (const auto& one : all) sink(one);
    });
  }
  /// Gives something else to the sink: `f(sink, what)`. By any number of threads.
  template <class What, class F> void give(std::size_t operation, What& what, F f) {
    guarded(false, [&] {
      auto& sink = opened(sink_);
      deliver(operation, what, sink_lock_, [&](What& all) { f(sink, all); });
      return true;
    });
  }

 private:
  std::optional<intake<Item, appending<Source>>> intake_;
  std::optional<Sink> sink_;
  std::mutex sink_lock_;
};

/// Applies a function to each element of an item.
template <class Item, class F> void work_on_each(std::size_t operation, Item& item, F&& f) {
  operate(operation, item, [&](Item& all) {
    for (auto& one : all) one = f(std::move(one));
  });
}

/// The file that a run reads, where an input is a single one: what the user has named, or `name` in the
/// folder that is the input. \throws apps::error  if the output is the same file
inline std::filesystem::path file_of(const places& where, std::string_view name) {
  auto file = std::filesystem::is_directory(where.input) ? where.input / name : where.input;
  forbid_overwriting(file, where);
  return file;
}

}  // namespace spb::detail
