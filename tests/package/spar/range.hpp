#pragma once

inline constexpr int last = 10;
