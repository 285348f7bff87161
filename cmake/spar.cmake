# The compiler for SPar's attributes: thalweg-spar, which links Clang, and thalweg-spar++ in front of it. They are programs of
# their own, which the library does not need; thalweg_spar_sources gives their work to targets.
# What is said is kept for those who ask why something is left out.
set(THALWEG_SPAR_MISSING "" CACHE INTERNAL "Why thalweg-spar is left out")
set(THALWEG_SPAR_CLANG "" CACHE INTERNAL "The LLVM that thalweg-spar is built with")
if(NOT THALWEG_BUILD_SPAR)
  set(THALWEG_SPAR_MISSING "THALWEG_BUILD_SPAR is off" CACHE INTERNAL "")
  return()
endif()
if(CMAKE_CROSSCOMPILING OR THALWEG_SANITIZE OR THALWEG_FUZZ)
  set(THALWEG_SPAR_MISSING "it is a program of the machine that builds" CACHE INTERNAL "")
  return()
endif()
add_subdirectory(spar)
if(NOT TARGET thalweg-spar)
  set(THALWEG_SPAR_MISSING "there are no libraries of Clang (./thalweg install spar)" CACHE INTERNAL "")
  return()
endif()
set_target_properties(thalweg-spar PROPERTIES UNITY_BUILD OFF) # It has a precompiled header.
add_subdirectory(spar/driver)
include(cmake/thalweg-spar.cmake)
