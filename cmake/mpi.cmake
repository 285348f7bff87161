# The policy for several processes is a library of its own, thalweg::mpi, as what it is compiled against depends on the
# MPI that is used. MPI_CXX_COMPILER names the compiler of another one than CMake finds.
option(THALWEG_MPI "Build thalweg::mpi, the policy for several processes, where an MPI is there" ON)

if(NOT THALWEG_MPI)
  return()
endif()
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI QUIET GLOBAL COMPONENTS CXX)
if(NOT MPI_CXX_FOUND)
  message(STATUS "The policy for several processes is left out: there is no MPI (apt-get install libopenmpi-dev)")
  return()
endif()
find_package(nlohmann_json QUIET)
if(NOT nlohmann_json_FOUND)
  message(STATUS "The policy for several processes is left out: it reads saved reports (apt-get install nlohmann-json3-dev)")
  return()
endif()
add_library(thalweg_mpi ${mpi_sources})
add_library(thalweg::mpi ALIAS thalweg_mpi)
set_target_properties(thalweg_mpi PROPERTIES EXPORT_NAME mpi LINKER_LANGUAGE CXX POSITION_INDEPENDENT_CODE ON)
target_link_libraries(thalweg_mpi PUBLIC thalweg PRIVATE MPI::MPI_CXX
                      $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)

# What `mpiexec` is started with where programs are only tested: a container's user is often root, may not read other
# processes' memory nor bind to cores, and there are more ranks than cores. Those of PRTE are for Open MPI 5.
set(THALWEG_MPI_ENVIRONMENT
    OMPI_ALLOW_RUN_AS_ROOT=1
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_btl_vader_single_copy_mechanism=none
    OMPI_MCA_hwloc_base_binding_policy=none
    PRTE_ALLOW_RUN_AS_ROOT=1
    PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
    PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    PRTE_MCA_hwloc_default_binding_policy=none)
