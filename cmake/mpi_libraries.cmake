# Libraries for streams over MPI that programs are compared with, where a user has their sources.
find_path(DSPARLIB_DIR libs/dspar/dspar.h HINTS ENV DSPARLIB_DIR DOC "Folder of DSParLib's sources")
if(DSPARLIB_DIR)
  thalweg_interface(mpi-dsparlib LIBRARIES spb_ranks MPI::MPI_CXX INCLUDES "${DSPARLIB_DIR}/libs")
else()
  thalweg_interface(mpi-dsparlib MISSING "./thalweg install --path dsparlib=<folder of DSParLib's sources>")
endif()

# FastFlow's distributed run time: how it communicates lies in a submodule, and it writes items by cereal.
find_path(THALWEG_CEREAL cereal/cereal.hpp)
mark_as_advanced(THALWEG_CEREAL)
if(NOT FASTFLOW_DIR)
  thalweg_interface(mpi-fastflow MISSING "./thalweg install --path fastflow=<folder of FastFlow's sources>")
elseif(NOT EXISTS "${FASTFLOW_DIR}/ff/distributed/MTCL/include/mtcl.hpp")
  thalweg_interface(mpi-fastflow MISSING "git submodule update --init, in the folder of FastFlow's sources")
elseif(NOT THALWEG_CEREAL)
  thalweg_interface(mpi-fastflow MISSING "apt-get install libcereal-dev")
else()
  # Its threads go where the system puts them: ranks of a machine would all begin with its first processor.
  thalweg_interface(
    mpi-fastflow
    LIBRARIES spb_ranks MPI::MPI_CXX Threads::Threads
    INCLUDES "${FASTFLOW_DIR}" "${THALWEG_CEREAL}"
    OPTIONS -DNO_DEFAULT_MAPPING)
endif()
