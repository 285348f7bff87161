#pragma once

#include <thalweg/version.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace THALWEG_NAMESPACE::pipe {

/// The word that threads of one process sleep on: a Linux futex, std::atomic::wait elsewhere.
using futex_word = std::atomic<std::uint32_t>;

/// Which threads sleep on a word: those of one process, or also those of others that share its memory.
/// Only on Linux can others wake; elsewhere a sleep in which a word of the machine has changed ends after a
/// millisecond at most.
enum class futex_scope : std::uint8_t { process, machine };

/// Sleeps while `word` holds `expected`, until a wake. Returns at once if it holds something else, and may
/// return without reason: callers loop around their own predicate. Orders no memory: read the word with
/// acquire afterwards.
void futex_wait(const futex_word& word, std::uint32_t expected) noexcept;

/// The same with an end. Returns false if `deadline` passed, true for every other reason to return.
bool futex_wait_until(const futex_word& word, std::uint32_t expected,
                      std::chrono::steady_clock::time_point deadline,
                      futex_scope scope = futex_scope::process) noexcept;

/// Wakes at most `count` threads that sleep on `word`. It only uses the word's address: a word that a woken
/// thread has destroyed meanwhile does no harm beyond one wake-up without reason.
void futex_wake(const futex_word& word, int count, futex_scope scope = futex_scope::process) noexcept;

/// Wakes all threads that sleep on `word`.
void futex_wake_all(const futex_word& word) noexcept;

}  // namespace THALWEG_NAMESPACE::pipe
