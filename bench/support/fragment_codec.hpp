#pragma once

#include <thalweg/model/codec.hpp>

#include <dedup.hpp>

#include "apps/dedup/fragment.hpp"
#include "bench/support/item_codec.hpp"

/// How fragments travel: with their bytes, which `Compress` gives up, and with their chunks, once there are
/// some.
template <>
struct thalweg::codec<apps::dedup::chunk>
    : thalweg::codec_of_members<&apps::dedup::chunk::size, &apps::dedup::chunk::hash,
                                &apps::dedup::chunk::repeats, &apps::dedup::chunk::packed> {};
template <>
struct thalweg::codec<spb::Item> : item_codec<spb::Item, &apps::dedup::fragment::number,
                                              &apps::dedup::fragment::data, &apps::dedup::fragment::chunks> {
};
