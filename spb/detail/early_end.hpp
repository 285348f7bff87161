/// The end of a stream before that of its input. A frequency may ask for no more elements: a trace is at its
/// end, or the next element is due in decades. What came of the stream would look whole, so this is an error,
/// once it is clear that no other source takes the rest.
#pragma once

#include <functional>

namespace spb::detail {

/// A source is not asked for more of its input. `more_comes()` tells at the end of the stream whether there
/// is more; it may lose an element for this.
void note_early_end(std::function<bool()> more_comes);

/// At the end of a stream, before its input is closed. \throws apps::error  if there is more of an input than
/// its source was asked for
void check_early_end();

/// Forgets what was noted, for another stream in the same process.
void forget_early_end();

}  // namespace spb::detail
