/// A target of libFuzzer is one file, <name>_fuzz.cpp, that defines these two, and one line in
/// CMakeLists.txt. What a fuzzer finds is mended, and becomes a test of the usual kind beside those of what
/// reads it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fuzz {

/// Good inputs, a few and small ones, from which the fuzzer goes on.
std::vector<std::string> seeds();

/// Reads any input. An error that is a `std::runtime_error` refuses it, which is as good. All else that
/// leaves here was found: another exception, a report of a sanitizer, an input that takes for ever.
void read(const std::string& input);

/// The input as a file, which lasts until the next call. For what reads only files.
std::filesystem::path as_file(const std::string& input);

/// What an operator writes, as a file of that name; the same each time.
std::filesystem::path output();

/// Ends the process if `good` is false: what was read is not what should have been.
void expect(bool good, const char* what);

}  // namespace fuzz
