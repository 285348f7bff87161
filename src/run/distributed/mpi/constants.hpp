#pragma once

#include <thalweg/version.hpp>

#include <chrono>
#include <cstddef>

/// What several parts of the communication between ranks go by.
namespace THALWEG_NAMESPACE::run_detail::distributed {

/// How long a thread rests between two looks at a message that is to come: longer and longer.
inline constexpr std::chrono::microseconds first_rest{20};
inline constexpr std::chrono::microseconds longest_rest{1000};

/// Tags of messages that are not those of the stream.
inline constexpr int rendezvous_tag = 1;
inline constexpr int clocks_tag = 4;
inline constexpr int heartbeat_tag = 9;
inline constexpr int join_request_tag = 11;  // between parents and children alone

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
