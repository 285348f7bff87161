#pragma once

#include <thalweg/model/codec.hpp>

#include <ferret.hpp>

#include "apps/ferret/query.hpp"
#include "bench/support/item_codec.hpp"
#include "spb/detail/picture_codec.hpp"

/// What travels of a query between any two operators: what one has freed is empty.
template <>
struct thalweg::codec<apps::ferret::segments>
    : thalweg::codec_of_members<&apps::ferret::segments::region, &apps::ferret::segments::count> {};
template <>
struct thalweg::codec<apps::ferret::signature>
    : thalweg::codec_of_members<&apps::ferret::signature::regions, &apps::ferret::signature::weights> {};
template <>
struct thalweg::codec<spb::Item>
    : item_codec<spb::Item, &apps::ferret::query::number, &apps::ferret::query::name,
                 &apps::ferret::query::shown, &apps::ferret::query::divided,
                 &apps::ferret::query::description, &apps::ferret::query::candidates,
                 &apps::ferret::query::ranking> {};
