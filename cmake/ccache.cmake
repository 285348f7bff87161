# A second build of the same sources takes seconds when ccache is there.
if(NOT PROJECT_IS_TOP_LEVEL)
  return() # How others compile is theirs to say.
endif()
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache caches compilations with a precompiled header only when told that macros and times in it do not matter,
  # and caches across clones only when paths below the source folder count as relative. It compares the files themselves
  # (CCACHE_DEPEND), not what the preprocessor makes of them: GCC does not accept a precompiled header of sources of
  # which only a comment differs, as it knows them by their whole text, and then reads them twice. A header that changes
  # while it is compiled is not cached: the object would be taken for one of the new text.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env "CCACHE_SLOPPINESS=pch_defines,time_macros"
      "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 "${CCACHE_PROGRAM}")
endif()
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()
