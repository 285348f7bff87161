#pragma once

#include <thalweg/pipe/sanitizer.hpp>

// THALWEG_INLINE: for the few small functions that a loop over items must not pay a call for. Loops are
// nested as deep as a pipeline is long, and compilers give up inlining before that. Without optimisation,
// under the sanitizers, and where THALWEG_FAST_COMPILE is defined (tests), it means nothing: there it would
// only cost compile time.
#if defined(THALWEG_FAST_COMPILE) || !defined(__OPTIMIZE__) || THALWEG_ADDRESS_SANITIZER || \
    THALWEG_THREAD_SANITIZER
#define THALWEG_INLINE
#else
#define THALWEG_INLINE __attribute__((always_inline))
#endif
