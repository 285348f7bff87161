#pragma once

#include <cstddef>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <utility>

#include "spb/detail/intake.hpp"
#include "spb/detail/operation.hpp"
#include "spb/detail/per_stream.hpp"
#include "spb/detail/session.hpp"

namespace spb::detail {

/// The streams of an application that has a source and a sink, and nothing else that its operators share:
/// one, or one for each source object.
template <class Item, class Source, class Sink> class plain_stream {
 public:
  /// Opens one, in addition to those that there are.
  void open(Source source, Sink sink) { all_.add(std::move(source), std::move(sink)); }
  void open(Source source, std::filesystem::path output, const auto&... for_sink) {
    open(std::move(source), Sink(std::move(output), for_sink...));
  }
  /// Completes the output of each.
  void complete() {
    all_.for_each([](stream& one) { one.sink.close(); });
  }
  /// Gives everything up.
  void discard() { all_.clear(); }

  /// Fills an item; false at the end. By any number of threads.
  bool take(feed& by, Item& item) {
    return guarded(false, [&] { return all_.of(by).from.take(by, item); });
  }
  /// The place of the stream that an item is of.
  template <class Of> [[nodiscard]] std::size_t place_of(const Of& item) const { return all_.place_of(item); }
  /// Gives an item to the sink. By any number of threads.
  void write(std::size_t operation, Item& item) {
    give(operation, item, [](Sink& sink, Item& all) {
      for (const auto& one : all) sink(one);
    });
  }
  /// Gives something else to the sink: `f(sink, what)`. By any number of threads.
  template <class What, class F> void give(std::size_t operation, What& what, F f) {
    guarded(false, [&] {
      auto& to = all_.of(what);
      deliver(operation, what, to.lock, [&](What& all) { f(to.sink, all); });
      return true;
    });
  }

 private:
  struct stream {
    stream(Source source, Sink end) : from({std::move(source)}), sink(std::move(end)) {}
    intake<Item, appending<Source>> from;
    Sink sink;
    std::mutex lock;
  };
  per_stream<stream> all_;
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
