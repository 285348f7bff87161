#pragma once

#include <thalweg/model/codec.hpp>

#include "apps/ferret/picture.hpp"

/// How the pictures of Ferret's queries travel.
template <>
struct thalweg::codec<apps::ferret::picture>
    : thalweg::codec_of_members<&apps::ferret::picture::width, &apps::ferret::picture::height,
                                &apps::ferret::picture::rgb> {};
