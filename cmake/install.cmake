# `cmake --install`: the library, its headers, and how CMake and pkg-config find them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/thalweg)

install(DIRECTORY include/thalweg DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(TARGETS thalweg EXPORT thalweg-targets)
install(EXPORT thalweg-targets NAMESPACE thalweg:: DESTINATION ${cmake_dir})
foreach(part IN ITEMS kafka mpi)
  if(TARGET thalweg_${part})
    # Only who asks for the component needs librdkafka, or an MPI.
    install(TARGETS thalweg_${part} EXPORT thalweg-${part}-targets)
    install(EXPORT thalweg-${part}-targets NAMESPACE thalweg:: DESTINATION ${cmake_dir})
  endif()
endforeach()

configure_package_config_file(cmake/thalweg-config.cmake.in thalweg-config.cmake INSTALL_DESTINATION ${cmake_dir})
write_basic_package_version_file(thalweg-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/thalweg-config.cmake ${PROJECT_BINARY_DIR}/thalweg-config-version.cmake
        DESTINATION ${cmake_dir})

# A static library cannot bring what it links itself: who links it must name that too.
get_target_property(library_type thalweg TYPE)
set(pc_requires "")
set(pc_requires_private "")
if(HWLOC_FOUND)
  if(library_type STREQUAL "SHARED_LIBRARY")
    set(pc_requires_private hwloc)
  else()
    set(pc_requires hwloc)
  endif()
endif()
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE libdir)
file(RELATIVE_PATH pc_to_prefix "/${libdir}/pkgconfig" "/")
configure_file(cmake/thalweg.pc.in thalweg.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/thalweg.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET thalweg_kafka)
  configure_file(cmake/thalweg-kafka.pc.in thalweg-kafka.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/thalweg-kafka.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
