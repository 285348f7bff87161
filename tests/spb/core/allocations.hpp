#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

/// How often this program has asked for memory. In one source file of a program only.
inline std::atomic<std::uint64_t> allocations{0};

// They are replaced together, so `free` is right for what `malloc` gave, whatever GCC thinks once it has
// inlined one of them.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
