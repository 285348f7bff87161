# What is visible beyond the library. An archive gives nothing away: a shared library that has it inside shows none of it,
# and two of them can have two versions. A shared library of ours gives away its namespace, and nothing else. That is said
# by a script for the linker, not by a macro at each name: what users' templates call is nearly all that the headers
# declare, and a name without its macro would be missed by a user's program first.
set(thalweg_series "${PROJECT_VERSION_MAJOR}")
if(thalweg_series EQUAL 0)
  set(thalweg_series "0.${PROJECT_VERSION_MINOR}") # Each minor version may differ from the last one.
endif()
configure_file(cmake/exports.map.in exports.map @ONLY)

foreach(library IN ITEMS thalweg ${thalweg_components})
  if(NOT TARGET ${library})
    continue()
  endif()
  get_target_property(type ${library} TYPE)
  if(NOT type STREQUAL "SHARED_LIBRARY")
    set_target_properties(${library} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    continue()
  endif()
  set_target_properties(
    ${library}
    PROPERTIES VERSION ${PROJECT_VERSION}
               SOVERSION ${thalweg_series}
               LINK_DEPENDS "${PROJECT_BINARY_DIR}/exports.map")
  target_link_options(${library} PRIVATE "LINKER:--version-script=${PROJECT_BINARY_DIR}/exports.map")
  # Functions of the library call each other directly, and no static variable keeps it in memory once nobody uses it.
  target_link_options(${library} PRIVATE "LINKER:-Bsymbolic-functions")
  target_compile_options(${library} PRIVATE -fno-semantic-interposition
                                            $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
endforeach()
