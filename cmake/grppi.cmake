# thalweg_grppi_over_tbb(<result> <folder of GrPPI>): whether its back end of oneTBB can be used, which grppi_tbb.cpp tries.
# Asked once for each text of that back end.
function(thalweg_grppi_over_tbb result folder)
  set(header "${folder}/include/grppi/tbb/parallel_execution_tbb.h")
  set(${result} FALSE PARENT_SCOPE)
  if(CMAKE_CROSSCOMPILING OR NOT TBB_FOUND OR NOT EXISTS "${header}")
    return()
  endif()
  file(MD5 "${header}" version)
  set(runs THALWEG_GRPPI_TBB_RUNS_${version})
  set(compiles THALWEG_GRPPI_TBB_COMPILES_${version})
  try_run(
    ${runs} ${compiles} "${PROJECT_BINARY_DIR}/grppi_tbb" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/grppi_tbb.cpp"
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${folder}/include"
    COMPILE_DEFINITIONS -DGRPPI_TBB
    LINK_LIBRARIES TBB::tbb
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
  if(${compiles} AND "${${runs}}" STREQUAL "0")
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()
