# The compiler for SPar's attributes: thalweg-spar, which links Clang, and thalweg-spar++ in front of it. They are programs of
# their own, which the library does not need; thalweg_spar_sources gives their work to targets.
option(THALWEG_BUILD_SPAR "Build thalweg-spar, the compiler for SPar's attributes, where Clang's libraries are" ${PROJECT_IS_TOP_LEVEL})

# What is said is kept for those who ask why something is left out.
set(THALWEG_SPAR_MISSING "" CACHE INTERNAL "Why thalweg-spar is left out")
if(NOT THALWEG_BUILD_SPAR)
  set(THALWEG_SPAR_MISSING "THALWEG_BUILD_SPAR is off" CACHE INTERNAL "")
  return()
endif()
if(CMAKE_CROSSCOMPILING OR THALWEG_SANITIZE OR THALWEG_FUZZ)
  set(THALWEG_SPAR_MISSING "it is a program of the machine that builds" CACHE INTERNAL "")
  return()
endif()
if(EXISTS "${PROJECT_SOURCE_DIR}/spar/CMakeLists.txt")
  add_subdirectory(spar)
endif()
if(NOT TARGET thalweg-spar)
  set(THALWEG_SPAR_MISSING "there are no libraries of Clang (./thalweg install spar)" CACHE INTERNAL "")
  return()
endif()
add_subdirectory(spar/driver)
include(cmake/thalweg-spar.cmake)
