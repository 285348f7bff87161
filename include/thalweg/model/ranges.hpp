/// The concepts of ranges, and how to get at what is in them. `<ranges>` itself, whose views are not needed
/// here, takes longer to compile than all of Thalweg's patterns; these come with `<span>` in libstdc++ and
/// libc++.
#pragma once

#include <iterator>  // IWYU pragma: export
#include <span>      // IWYU pragma: export
