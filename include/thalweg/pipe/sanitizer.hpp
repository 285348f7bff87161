#pragma once

// Whether this is compiled for the thread or the address sanitizer: GCC and Clang say so in different ways.
// THALWEG_THREAD_SANITIZER and THALWEG_ADDRESS_SANITIZER are 0 or 1.
#if defined(__SANITIZE_THREAD__)
#define THALWEG_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THALWEG_THREAD_SANITIZER 1
#endif
#endif
#ifndef THALWEG_THREAD_SANITIZER
#define THALWEG_THREAD_SANITIZER 0
#endif

#if defined(__SANITIZE_ADDRESS__)
#define THALWEG_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define THALWEG_ADDRESS_SANITIZER 1
#endif
#endif
#ifndef THALWEG_ADDRESS_SANITIZER
#define THALWEG_ADDRESS_SANITIZER 0
#endif
