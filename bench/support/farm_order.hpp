#pragma once

/// In which order a sink wants what a farm gives.
enum class farm_order { of_source, any };
