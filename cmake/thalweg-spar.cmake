# thalweg_spar_sources(<target> [POLICY <policy>] [OPTIONS <option>...]): the C++ sources of a target may have SPar's
# attributes. Each source with attributes is translated before it is compiled; the others are compiled as they are. The
# target is linked with thalweg::thalweg, and with thalweg::mpi for the policy mpi. Options are those of thalweg-spar.
#
# The compiler is called through thalweg-spar++, which hands all its flags on. So dependencies on headers are as ever.
function(thalweg_spar_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 its "" "POLICY" "OPTIONS")
  if(its_UNPARSED_ARGUMENTS OR its_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "thalweg_spar_sources(<target> [POLICY <policy>] [OPTIONS <option>...]): "
                        "what is wrong is '${its_UNPARSED_ARGUMENTS}${its_KEYWORDS_MISSING_VALUES}'")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "thalweg_spar_sources: there is no target '${target}'")
  endif()
  if(NOT CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
    message(FATAL_ERROR "thalweg_spar_sources works with Ninja and with make, not with ${CMAKE_GENERATOR}")
  endif()

  set(libraries thalweg::thalweg)
  if(its_POLICY)
    list(APPEND its_OPTIONS --policy "${its_POLICY}")
  endif()
  if(its_POLICY MATCHES "^mpi")
    if(NOT TARGET thalweg::mpi)
      message(FATAL_ERROR "thalweg_spar_sources: the policy mpi needs the component mpi of thalweg")
    endif()
    list(APPEND libraries thalweg::mpi)
  endif()
  target_link_libraries(${target} PRIVATE ${libraries})

  # The words of the command that compiles: other launchers, the compiler, and what always follows it.
  thalweg_spar_place(driver thalweg-spar++)
  get_target_property(launcher ${target} CXX_COMPILER_LAUNCHER)
  if(NOT launcher)
    set(launcher "")
  endif()
  separate_arguments(compiler NATIVE_COMMAND "${CMAKE_CXX_COMPILER_ARG1}")
  list(LENGTH launcher words)
  list(LENGTH compiler more)
  math(EXPR words "${words} + 1 + ${more}")
  set_property(TARGET ${target} PROPERTY CXX_COMPILER_LAUNCHER "${driver}" ${its_OPTIONS} --launch ${words} ${launcher})

  # Sources are compiled anew when what translates them has changed; in Thalweg's own tree it is built first.
  thalweg_spar_place(tool thalweg-spar)
  if(TARGET thalweg-spar++)
    add_dependencies(${target} thalweg-spar thalweg-spar++)
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  foreach(source IN LISTS sources)
    if(source MATCHES "\\.(cc|cp|cxx|cpp|CPP|c\\+\\+|C)$" AND NOT source MATCHES "\\$<")
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${folder}")
      set_property(SOURCE "${source}" TARGET_DIRECTORY ${target} APPEND PROPERTY OBJECT_DEPENDS "${tool}" "${driver}")
    endif()
  endforeach()
endfunction()

# thalweg_spar_place(<result> <program>): where a program is, which is installed or made in this build.
function(thalweg_spar_place result program)
  if(TARGET ${program})
    get_target_property(folder ${program} RUNTIME_OUTPUT_DIRECTORY)
    set(place "${folder}/${program}")
  else()
    get_target_property(place thalweg::${program} LOCATION)
  endif()
  set(${result} "${place}" PARENT_SCOPE)
endfunction()
