# How this project compiles its own code. Nothing here reaches those who use the library.
option(THALWEG_WERROR "Treat warnings as errors" OFF)
option(THALWEG_COVERAGE "Count the lines that run, for gcovr" OFF)
option(THALWEG_FUZZ "Build the fuzzers, of libFuzzer, which comes with Clang" OFF)
set(THALWEG_SANITIZE "" CACHE STRING "Sanitizers to compile with: address,undefined or thread")

set(CMAKE_CXX_EXTENSIONS OFF)

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
  endif()
  add_compile_options(-Wall -Wextra)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(--param=ggc-min-heapsize=524288) # kB: collecting garbage takes a tenth of the time otherwise
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    add_compile_options(-Wno-restrict) # GCC bug 105329: warns of "text" + std::string
  endif()
endif()

if((CMAKE_UNITY_BUILD OR THALWEG_SANITIZE) AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-subobject-linkage) # as if what is included were headers
endif()

if(THALWEG_WERROR)
  add_compile_options(-Werror)
endif()

if(THALWEG_SANITIZE)
  add_compile_options(-fsanitize=${THALWEG_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${THALWEG_SANITIZE})
  if(THALWEG_SANITIZE MATCHES undefined)
    # These check every access of the nested loops and triple their compile time; a null access is found all the same.
    add_compile_options(-fno-sanitize=null,alignment,vptr)
  endif()
endif()

if(THALWEG_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()

if(THALWEG_COVERAGE)
  # Counters are shared by threads: without atomic updates lines that ran many times may count as never run.
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()
