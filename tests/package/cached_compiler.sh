# To be sourced: cmake/ccache.cmake's settings, for builds of <tree> that are not its own top level.
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_SLOPPINESS=pch_defines,time_macros
  export CCACHE_BASEDIR="$tree" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
fi
