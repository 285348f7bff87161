/// Codecs for items with a key, and for results of windows.
#pragma once

#include <thalweg/model/codec.hpp>
#include <thalweg/pattern/keyed.hpp>
#include <thalweg/pattern/window/windowed.hpp>

namespace THALWEG_NAMESPACE {

template <class K, class T>
  requires(!model::plain_bytes<keyed<K, T>>)
struct codec<keyed<K, T>> : codec_of_members<&keyed<K, T>::key, &keyed<K, T>::value> {
  static constexpr bool travels = model::travels<K>() && model::travels<T>();
};

template <class R>
  requires(!model::plain_bytes<windowed<R>>)
struct codec<windowed<R>>
    : codec_of_members<&windowed<R>::begin, &windowed<R>::end, &windowed<R>::value, &windowed<R>::revision> {
  static constexpr bool travels = model::travels<R>();
};

}  // namespace THALWEG_NAMESPACE
