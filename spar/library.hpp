/// What is known of functions and types of the standard library, which says more than their types do.
#pragma once

#include <string>
#include <string_view>

#include <clang/AST/Type.h>

namespace clang {
class Decl;
class FunctionDecl;
class NamedDecl;
}  // namespace clang

namespace thalweg::spar {

/// A name as it is written, also of operators.
std::string plain_name(const clang::NamedDecl* declared);
bool in_std(const clang::Decl* declared);
bool made_for_threads(clang::QualType type);
bool is_lock(clang::QualType type);
bool is_mutex(clang::QualType type);
/// A map: its `[]` puts in what it does not find.
bool is_map(clang::QualType type);
/// `std::vector<bool>`, `std::bitset`: neighbours share a byte.
bool is_bits(clang::QualType type);
/// Pointers, also clever ones, iterators and spans.
bool points(clang::QualType type);
/// Does a member function give a part of its object, which may then be read or changed?
bool gives_access(const clang::FunctionDecl* function);
/// Does it read what a change of an element does not change: the size?
bool only_reads(const clang::FunctionDecl* function);

/// Which arguments of an algorithm it changes.
enum changed_part { no_argument, first_range, last_iterator, all_arguments };
changed_part changed_argument(std::string_view name);

}  // namespace thalweg::spar
