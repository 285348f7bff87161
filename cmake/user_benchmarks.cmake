# Benchmarks that users add (docs/user-benchmarks.md), built with the libraries that ours have, and our programs where
# the user's configuration says how they are to be built. ./thalweg writes a list of them: a call of
# thalweg_user_benchmark for each. What is wrong with one makes it unavailable, and nothing else; so they are no part of
# `all` either. To be included where the interfaces of our programs are known.
set(THALWEG_USER_BENCHMARKS "${PROJECT_BINARY_DIR}/user_benchmarks.cmake"
    CACHE FILEPATH "The list of the user's own benchmarks, as ./thalweg writes it")
mark_as_advanced(THALWEG_USER_BENCHMARKS)
set_property(GLOBAL PROPERTY THALWEG_USER_BENCHMARKS_LISTED "")

# thalweg_user_packages(<libraries> <missing> <package>...): targets for packages that pkg-config finds.
function(thalweg_user_packages libraries missing)
  set(found "")
  foreach(package IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER "THALWEG_USER_${package}" id)
    if(PkgConfig_FOUND)
      pkg_check_modules(${id} QUIET IMPORTED_TARGET "${package}")
    endif()
    if(NOT ${id}_FOUND)
      set(${missing} "pkg-config finds no package ${package}" PARENT_SCOPE)
      return()
    endif()
    list(APPEND found PkgConfig::${id})
  endforeach()
  set(${libraries} "${found}" PARENT_SCOPE)
endfunction()

# thalweg_user_compile(<target> <compiler or nothing> <flags> <before> <behind>): how sources of users are compiled.
# Warnings are no errors. Another compiler is put in the place of CMake's, as CMake knows only one: it must take GCC's
# options. So are words BEFORE the source and BEHIND it, where CMake writes none; a version of C++ is one of these.
macro(thalweg_user_compile target compiler flags before behind)
  get_target_property(options ${target} COMPILE_OPTIONS)
  list(REMOVE_ITEM options -Werror)
  if(NOT options OR NOT "${compiler}" STREQUAL "")
    set(options "")
  endif()
  set_property(TARGET ${target} PROPERTY COMPILE_OPTIONS ${options} ${flags})
  if(NOT "${compiler}${before}${behind}" STREQUAL "")
    set(words_before ${before})
    set(words_behind ${behind})
    list(LENGTH words_before many_before)
    list(LENGTH words_behind many_behind)
    set(launcher bash "${PROJECT_SOURCE_DIR}/cmake/user_compiler.sh" "${compiler}-" ${many_before} ${words_before}
                 ${many_behind} ${words_behind})
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}" CXX_LINKER_LAUNCHER "${launcher}")
  endif()
  if(its_REPLACED)
    target_include_directories(${target} PRIVATE "${its_FOLDER}/operators")
  endif()
  target_include_directories(${target} PRIVATE ${its_INCLUDES})
  target_compile_definitions(${target} PRIVATE ${its_MACROS})
endmacro()

# thalweg_user_operators(<sources>): the sources of the application, and of its interface, that a benchmark compiles
# itself: those that are REBUILT, or all of them. What is said of a source in particular holds for the one in its place.
function(thalweg_user_operators result)
  set(app ${its_APPLICATION})
  set(own "")
  set(all "")
  foreach(library IN ITEMS app_${app} spb_${app})
    get_target_property(sources ${library} SOURCES)
    get_target_property(place ${library} SOURCE_DIR)
    foreach(source IN LISTS sources)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${place}" NORMALIZE)
      list(APPEND all "${source}")
    endforeach()
  endforeach()
  foreach(source IN LISTS all)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${its_ROOT}" OUTPUT_VARIABLE path)
    if(NOT path IN_LIST its_REBUILT AND NOT its_CXX AND NOT its_CXX_FLAGS AND NOT its_BEHIND)
      continue()
    endif()
    set(used "${source}")
    if(path IN_LIST its_REPLACED)
      set(used "${its_FOLDER}/operators/${path}")
    endif()
    foreach(property IN ITEMS COMPILE_OPTIONS COMPILE_DEFINITIONS)
      get_source_file_property(value "${source}" TARGET_DIRECTORY app_${app} ${property})
      if(value)
        set_source_files_properties("${used}" PROPERTIES ${property} "${value}")
      endif()
    endforeach()
    list(APPEND own "${used}")
  endforeach()
  set(${result} "${own}" PARENT_SCOPE)
endfunction()

# thalweg_user_benchmark(KIND user|configured|debugged NAME ... PROGRAM ... APPLICATION ... [...]): the program of a
# benchmark, <kind>.<name>, if it can be built here. It gets a library of OPERATORS if files of the application are
# REPLACED by those in FOLDER/operators, so that others are to be REBUILT (both as paths in ROOT), or if all are to be
# compiled in another way. Several programs may have one in common.
function(thalweg_user_benchmark)
  cmake_parse_arguments(
    PARSE_ARGV 0 its ""
    "KIND;NAME;PROGRAM;OPERATORS;FOLDER;APPLICATION;ROOT;CXX;CXX_FLAGS;BENCH_CXX;BENCH_CXX_FLAGS;LINK_FLAGS"
    "BEHIND;BENCH_BEFORE;BENCH_BEHIND;MACROS;INCLUDES;LIBRARY_FOLDERS;LIBRARIES;PACKAGES;USES;REPLACED;REBUILT")
  thalweg_what_is_missing(missing ${its_APPLICATION} ${its_USES})
  if(NOT missing)
    thalweg_user_packages(packages missing ${its_PACKAGES})
  endif()
  # The list may be older than what the user has done to the folder.
  set(files ${its_REPLACED})
  list(TRANSFORM files PREPEND "${its_FOLDER}/operators/")
  foreach(file IN LISTS files its_PROGRAM)
    if(NOT EXISTS "${file}")
      set(missing "there is no file ${file}")
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY THALWEG_USER_BENCHMARKS_LISTED
                                      "  {\"name\": \"${its_NAME}\", \"missing\": \"${missing}\"}")
  if(missing)
    return()
  endif()

  if(NOT TARGET ${its_OPERATORS})
    thalweg_user_operators(sources)
    if(sources)
      add_library(${its_OPERATORS} OBJECT EXCLUDE_FROM_ALL ${sources})
      target_link_libraries(${its_OPERATORS} PRIVATE spb_${its_APPLICATION})
      thalweg_user_compile(${its_OPERATORS} "${its_CXX}" "${its_CXX_FLAGS}" "" "${its_BEHIND}")
    endif()
  endif()
  set(operators "")
  if(TARGET ${its_OPERATORS})
    set(operators ${its_OPERATORS})
  endif()

  set(target ${its_KIND}.${its_NAME})
  add_executable(${target} EXCLUDE_FROM_ALL "${its_PROGRAM}")
  thalweg_user_compile(${target} "${its_BENCH_CXX}" "${its_BENCH_CXX_FLAGS}" "${its_BENCH_BEFORE}" "${its_BENCH_BEHIND}")
  list(TRANSFORM its_USES PREPEND bench_)
  # Operators of its own stand before the application's: of these nothing is taken any more.
  target_link_directories(${target} PRIVATE ${its_LIBRARY_FOLDERS})
  target_link_libraries(${target} PRIVATE ${operators} spb_${its_APPLICATION} ${its_USES} ${packages} ${its_LIBRARIES})
  target_link_options(${target} PRIVATE ${its_LINK_FLAGS})
  set_target_properties(
    ${target}
    PROPERTIES OUTPUT_NAME "${its_NAME}"
               RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${its_KIND}"
               BUILD_RPATH "${its_LIBRARY_FOLDERS}")
  if(bench_spar IN_LIST its_USES)
    thalweg_spar_sources(${target})
  endif()
  if(bench_thalweg IN_LIST its_USES OR bench_spar IN_LIST its_USES)
    thalweg_with_page(${target})
  endif()
endfunction()

if(NOT EXISTS "${THALWEG_USER_BENCHMARKS}")
  file(WRITE "${THALWEG_USER_BENCHMARKS}" "# The user has no benchmarks.\n") # so that Ninja sees when it changes
endif()
include("${THALWEG_USER_BENCHMARKS}")
get_property(listed GLOBAL PROPERTY THALWEG_USER_BENCHMARKS_LISTED)
list(JOIN listed ",\n" listed)
file(WRITE "${PROJECT_BINARY_DIR}/user_benchmarks.json" "[\n${listed}\n]\n")
