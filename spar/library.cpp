// What is known of functions and types of the standard library, which says more than their types do.
#include "library.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

#include "accesses.hpp"

namespace thalweg::spar {
namespace {

using clang::FunctionDecl;

template <std::size_t size>
bool one_of(std::string_view name, const std::array<std::string_view, size>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool in_system_header(const clang::Decl* declared) {
  const auto& sources = declared->getASTContext().getSourceManager();
  return sources.isInSystemHeader(declared->getLocation()) || declared->getLocation().isInvalid();
}

/// The class without references, pointers and aliases, or null.
const clang::CXXRecordDecl* class_of(clang::QualType type) {
  return type.getNonReferenceType()->getAsCXXRecordDecl();
}

}  // namespace

std::string plain_name(const clang::NamedDecl* declared) {
  return declared->getDeclName().isIdentifier() ? declared->getName().str() : declared->getNameAsString();
}

bool in_std(const clang::Decl* declared) {
  for (const auto* around = declared->getDeclContext(); around != nullptr; around = around->getParent()) {
    if (around->isStdNamespace()) return true;
  }
  return false;
}

bool of_standard_library(const FunctionDecl* function) {
  return in_std(function) || function->getBuiltinID() != 0 || in_system_header(function);
}

bool made_for_threads(clang::QualType type) {
  static constexpr std::array<std::string_view, 20> classes{"atomic",
                                                            "atomic_flag",
                                                            "atomic_ref",
                                                            "__atomic_base",
                                                            "mutex",
                                                            "recursive_mutex",
                                                            "timed_mutex",
                                                            "shared_mutex",
                                                            "shared_timed_mutex",
                                                            "recursive_timed_mutex",
                                                            "once_flag",
                                                            "barrier",
                                                            "latch",
                                                            "counting_semaphore",
                                                            "condition_variable",
                                                            "stop_token",
                                                            "stop_source",
                                                            "condition_variable_any",
                                                            "jthread",
                                                            "memory_resource"};
  type = type.getNonReferenceType();
  if (type->isAtomicType()) return true;
  if (const auto* array = type->getAsArrayTypeUnsafe()) return made_for_threads(array->getElementType());
  const auto* record = type->getAsCXXRecordDecl();
  if (record == nullptr || !in_std(record)) return false;
  if (one_of(plain_name(record), classes)) return true;
  // A container of atomics, and a pointer to one, are changed only through them.
  const auto* made_from = clang::dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
  if (made_from == nullptr || made_from->getTemplateArgs().size() == 0) return false;
  const auto& first = made_from->getTemplateArgs()[0];
  return first.getKind() == clang::TemplateArgument::Type && made_for_threads(first.getAsType());
}

bool made_for_threads(const clang::ValueDecl* variable) {
  if (made_for_threads(variable->getType())) return true;
  static constexpr std::array<std::string_view, 8> streams{"cout",  "cerr",  "clog",  "cin",
                                                           "wcout", "wcerr", "wclog", "wcin"};
  if (in_std(variable) && one_of(plain_name(variable), streams)) return true;
  auto type = variable->getType().getNonReferenceType();
  if (!type->isPointerType()) return false;
  const auto* record = type->getPointeeType()->getAsRecordDecl();
  return record != nullptr && (record->getName() == "_IO_FILE" || record->getName() == "__sFILE");
}

bool is_lock(clang::QualType type) {
  static constexpr std::array<std::string_view, 4> locks{"lock_guard", "scoped_lock", "unique_lock",
                                                         "shared_lock"};
  const auto* record = class_of(type);
  return record != nullptr && in_std(record) && one_of(plain_name(record), locks);
}

bool is_mutex(clang::QualType type) {
  const auto* record = class_of(type);
  return record != nullptr && in_std(record) && plain_name(record).find("mutex") != std::string::npos;
}

bool does_io(const FunctionDecl* function) {
  static constexpr std::array<std::string_view, 40> functions{
      "printf",   "fprintf", "vprintf", "vfprintf", "puts",   "fputs",   "putchar", "fputc",
      "putc",     "scanf",   "fscanf",  "gets",     "fgets",  "getchar", "fgetc",   "getc",
      "fread",    "fwrite",  "fopen",   "fclose",   "fflush", "fseek",   "rewind",  "open",
      "close",    "read",    "write",   "pread",    "pwrite", "lseek",   "recv",    "send",
      "recvfrom", "sendto",  "accept",  "connect",  "perror", "system",  "getline", "print"};
  if (!of_standard_library(function)) return false;
  if (const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(function)) {
    const auto name = plain_name(method->getParent());
    return name.find("stream") != std::string::npos && name.find("stringstream") == std::string::npos &&
           !method->isConst();
  }
  if (one_of(plain_name(function), functions)) return true;
  // `out << value`, `in >> value`.
  if (!function->isOverloadedOperator() || function->getNumParams() == 0) return false;
  const auto* first = class_of(function->getParamDecl(0)->getType());
  return first != nullptr && in_std(first) && plain_name(first).find("stream") != std::string::npos;
}

bool gives_access(const FunctionDecl* function) {
  static constexpr std::array<std::string_view, 24> names{
      "operator[]", "operator*", "operator->", "at",          "front",       "back",
      "data",       "begin",     "end",        "rbegin",      "rend",        "get",
      "value",      "top",       "find",       "first",       "last",        "subspan",
      "c_str",      "cbegin",    "cend",       "lower_bound", "upper_bound", "equal_range"};
  return in_std(function) && one_of(plain_name(function), names);
}

bool is_map(clang::QualType type) {
  const auto* record = class_of(type);
  return record != nullptr && in_std(record) && plain_name(record).find("map") != std::string::npos;
}

bool is_bits(clang::QualType type) {
  const auto* record = class_of(type);
  if (record == nullptr || !in_std(record)) return false;
  if (plain_name(record) == "bitset") return true;
  const auto* made_from = clang::dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
  return made_from != nullptr && plain_name(record) == "vector" &&
         made_from->getTemplateArgs()[0].getAsType()->isBooleanType();
}

bool points(clang::QualType type) {
  type = type.getNonReferenceType();
  if (type->isPointerType()) return true;
  const auto* record = type->getAsCXXRecordDecl();
  if (record == nullptr || !in_std(record)) {
    if (record == nullptr) return false;
    const auto name = plain_name(record);
    return name.find("iterator") != std::string::npos;
  }
  static constexpr std::array<std::string_view, 6> classes{
      "unique_ptr", "shared_ptr", "span", "weak_ptr", "reference_wrapper", "back_insert_iterator"};
  return one_of(plain_name(record), classes) || plain_name(record).find("iterator") != std::string::npos;
}

bool only_reads(const FunctionDecl* function) {
  static constexpr std::array<std::string_view, 12> names{"size",     "empty", "capacity",  "length",
                                                          "max_size", "begin", "end",       "data",
                                                          "cbegin",   "cend",  "has_value", "count"};
  return in_std(function) && one_of(plain_name(function), names);
}

changed_part changed_argument(std::string_view name) {
  static constexpr std::array<std::string_view, 24> all{
      "sort",      "stable_sort", "partial_sort", "nth_element", "fill",     "fill_n",
      "generate",  "generate_n",  "iota",         "reverse",     "rotate",   "shuffle",
      "remove",    "remove_if",   "unique",       "partition",   "replace",  "replace_if",
      "make_heap", "push_heap",   "pop_heap",     "sort_heap",   "for_each", "inplace_merge"};
  static constexpr std::array<std::string_view, 13> last{
      "transform",    "copy",           "copy_n",
      "copy_if",      "copy_backward",  "move_backward",
      "replace_copy", "reverse_copy",   "adjacent_difference",
      "partial_sum",  "exclusive_scan", "inclusive_scan",
      "merge"};
  static constexpr std::array<std::string_view, 4> every{"swap", "swap_ranges", "iter_swap", "exchange"};
  static constexpr std::array<std::string_view, 3> first{"memcpy", "memset", "memmove"};
  if (one_of(name, all) || one_of(name, first)) return first_range;
  if (one_of(name, last)) return last_iterator;
  if (one_of(name, every)) return all_arguments;
  return no_argument;
}

}  // namespace thalweg::spar
