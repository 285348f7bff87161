/// Elements that come from another process in place of the application's own source, or go to one.
#pragma once

#include <thalweg/model/codec.hpp>
#include <thalweg/net/inlet.hpp>
#include <thalweg/net/outlet.hpp>
#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "spb/detail/batch.hpp"
#include "spb/detail/failure.hpp"
#include "spb/detail/feed.hpp"
#include "spb/detail/intake.hpp"
#include "spb/detail/network.hpp"
#include "spb/detail/session.hpp"

namespace spb::detail {

template <class Source>
using element_of = typename std::remove_cvref_t<decltype(std::declval<Source&>()())>::value_type;

/// The next element that another process plays; none at the end.
template <class Element> std::optional<Element> receive(thalweg::net::inlet& from) {
  const auto bytes = from.next();
  if (!bytes) return std::nullopt;
  return thalweg::decode<Element>(*bytes);
}

/// An application's source, or another process that plays one.
template <class Source> class elements {
 public:
  using element = element_of<Source>;

  elements(Source own) : own_(std::move(own)) {}  // NOLINT(google-explicit-constructor): it stands for it
  /// \throws error  if what is played are other elements
  explicit elements(std::shared_ptr<thalweg::net::inlet> played) : played_(std::move(played)) {
    check_played(*played_, thalweg::tag_of<element>());
  }

  std::optional<element> operator()() { return played_ ? receive<element>(*played_) : (*own_)(); }
  /// Waits until a moment of the steady clock for what may be long in coming. Whether the next is there by
  /// then.
  bool ready_by(std::int64_t until_ns) { return !played_ || played_->ready_by(until_ns); }

 private:
  std::optional<Source> own_;
  std::shared_ptr<thalweg::net::inlet> played_;
};

/// The elements of a run: those of the source that `make()` opens, unless they come from another process.
template <class Make> auto elements_of(const places& where, Make&& make) {
  using source = std::remove_cvref_t<decltype(make())>;
  return where.network ? elements<source>(where.network) : elements<source>(std::forward<Make>(make)());
}

/// Plays a source to another process, at the pace and in the batches that the options ask for.
template <class Source> play_result play(Source source, const destination& to) {
  using element = element_of<Source>;
  intake<batch<element>, appending<Source>> from({std::move(source)});
  thalweg::net::outlet out(to.where,
                           {.tag = thalweg::tag_of<element>(), .name = to.name, .given_up = failed});
  if (!out.connect()) return {};

  play_result told;
  std::vector<std::byte> bytes;
  const auto begin = thalweg::observe::now_ns();
  auto& by = common_feed();
  for (batch<element> item; from.take(by, item);) {
    for (const auto& one : item) {
      thalweg::encode(one, bytes);
      if (!out.send(bytes)) return told;
    }
    told.elements += item.size();
    if (by.paced()) told.behind_ns = std::max(told.behind_ns, thalweg::observe::now_ns() - item.timestamp);
  }
  if (!failed()) out.end();
  told.took_ns = thalweg::observe::now_ns() - begin;
  return told;
}

/// For `application_link::play`: plays what `SourceOf(asked, where)` opens.
template <auto SourceOf>
play_result play_source(const options& asked, const places& where, const destination& to) {
  return play(SourceOf(asked, where), to);
}

}  // namespace spb::detail
