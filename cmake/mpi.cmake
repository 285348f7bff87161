# The policy for several processes is a library of its own, thalweg::mpi, as what it is compiled against depends on the
# MPI that is used. MPI_CXX_COMPILER names the compiler of another one than CMake finds.
option(THALWEG_MPI "Build thalweg::mpi, the policy for several processes, where an MPI is there" ON)

if(NOT THALWEG_MPI)
  return()
endif()
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI QUIET COMPONENTS CXX)
if(NOT MPI_CXX_FOUND)
  message(STATUS "The policy for several processes is left out: there is no MPI (apt-get install libopenmpi-dev)")
  return()
endif()
add_library(thalweg_mpi ${mpi_sources})
add_library(thalweg::mpi ALIAS thalweg_mpi)
set_target_properties(thalweg_mpi PROPERTIES EXPORT_NAME mpi LINKER_LANGUAGE CXX POSITION_INDEPENDENT_CODE ON)
target_link_libraries(thalweg_mpi PUBLIC thalweg PRIVATE MPI::MPI_CXX)
