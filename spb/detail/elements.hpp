/// Elements that come from another process in place of the application's own source, or go to one.
#pragma once

#include <thalweg/model/codec.hpp>
#include <thalweg/net/carrier.hpp>
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
#include "spb/detail/early_end.hpp"
#include "spb/detail/failure.hpp"
#include "spb/detail/feed.hpp"
#include "spb/detail/intake.hpp"
#include "spb/detail/network.hpp"
#include "spb/detail/session.hpp"

namespace spb::detail {

/// An element on its way: with the moment at which it was taken there or, under a frequency, due.
template <class Element> struct played_element {
  std::int64_t due_ns = 0;
  Element one{};
};

}  // namespace spb::detail

template <class Element>
struct thalweg::codec<spb::detail::played_element<Element>>
    : thalweg::codec_of_members<&spb::detail::played_element<Element>::due_ns,
                                &spb::detail::played_element<Element>::one> {};

namespace spb::detail {

template <class Source>
using element_of = typename std::remove_cvref_t<decltype(std::declval<Source&>()())>::value_type;

/// The next element that another process plays; none at the end. \throws error  naming the place of what is
/// none
template <class Element> std::optional<played_element<Element>> receive(thalweg::net::incoming& from) {
  const auto bytes = from.next();
  if (!bytes) return std::nullopt;
  try {
    return thalweg::decode<played_element<Element>>(*bytes);
  } catch (const thalweg::codec_error& e) {
    throw thalweg::codec_error(from.place() + ": " + e.what());
  }
}

/// An application's source, or another process that plays one.
template <class Source> class elements {
 public:
  using element = element_of<Source>;

  elements(Source own) : own_(std::move(own)) {}  // NOLINT(google-explicit-constructor): it stands for it
  /// \throws error  if what is played are other elements
  explicit elements(std::shared_ptr<thalweg::net::incoming> played) : played_(std::move(played)) {
    check_played(*played_, thalweg::tag_of<played_element<element>>());
  }

  std::optional<element> operator()() {
    if (!played_) return (*own_)();
    auto came = receive<element>(*played_);
    if (!came) return std::nullopt;
    due_ns_ = came->due_ns;
    return std::move(came->one);
  }
  /// When the last element was taken or due where it was played, by the clock here; 0 if it was not played,
  /// or if that cannot be known.
  [[nodiscard]] std::int64_t due_ns() const { return due_ns_ == 0 ? 0 : here_ns(due_ns_, played_->clock()); }
  /// Waits until a moment of the steady clock for what may be long in coming. Whether the next is there by
  /// then.
  bool ready_by(std::int64_t until_ns) { return !played_ || played_->ready_by(until_ns); }

 private:
  std::optional<Source> own_;
  std::shared_ptr<thalweg::net::incoming> played_;
  std::int64_t due_ns_ = 0;  // by the player's clock
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
  const auto out = to(thalweg::tag_of<played_element<element>>());
  if (!out->connect()) return {};

  play_result told;
  std::vector<std::byte> bytes;
  const auto begin = thalweg::observe::now_ns();
  auto& by = common_feed();
  played_element<element> sent;
  for (batch<element> item; from.take(by, item);) {
    sent.due_ns = by.paced() ? item.timestamp : thalweg::observe::now_ns();
    for (auto& one : item) {
      sent.one = std::move(one);
      thalweg::encode(sent, bytes);
      if (!out->send(bytes)) return told;
    }
    told.elements += item.size();
    if (by.paced()) told.behind_ns = std::max(told.behind_ns, thalweg::observe::now_ns() - item.timestamp);
  }
  if (!failed()) {
    check_early_end();
    out->end();
  }
  told.took_ns = thalweg::observe::now_ns() - begin;
  return told;
}

/// For `application_link::play`: plays what `SourceOf(asked, where)` opens.
template <auto SourceOf>
play_result play_source(const options& asked, const places& where, const destination& to) {
  return play(SourceOf(asked, where), to);
}

}  // namespace spb::detail
