#pragma once

namespace apps {

/// Where a source has its input: whether it is read while the stream runs, or before, when the source is
/// made.
enum class input_held { on_disk, in_memory };

}  // namespace apps
