# Applications of the user's own, one in each folder of THALWEG_USER_APPS, whose CMakeLists.txt calls
# thalweg_own_app. They are built only when they are asked for, and each has a tool for its inputs: one that does not
# compile keeps nothing else from being built.
set(THALWEG_USER_APPS "" CACHE PATH "Folder of the applications of the user's own; it is called apps")

# Those whose CMakeLists.txt has a mistake, as ./thalweg has written them down: thalweg_left_out_<name> is the reason.
set(user_apps_left_out "${PROJECT_BINARY_DIR}/user_apps_left_out.cmake")
if(NOT EXISTS "${user_apps_left_out}")
  file(WRITE "${user_apps_left_out}" "# None is left out.\n") # so that Ninja sees when it changes
endif()
include("${user_apps_left_out}")

# thalweg_user_programs(<name> <folder>): the programs of an application, which are listed even if it is left out.
function(thalweg_user_programs name folder)
  file(GLOB programs CONFIGURE_DEPENDS RELATIVE "${folder}/bench" "${folder}/bench/*/*.cpp")
  foreach(program IN LISTS programs)
    thalweg_program("${folder}/bench/${program}" "${name}/${program}" USER)
  endforeach()
endfunction()

# thalweg_own_app([LIBRARIES ...]): an application that is called as its folder. Its sources are *.cpp, in namespace
# apps::<name>; spb/<name>.cpp and .hpp are the interface of its programs, bench/<interface>/<composition>.cpp its
# programs, tests/*_test.cpp its tests.
function(thalweg_own_app)
  cmake_parse_arguments(PARSE_ARGV 0 its "" "" "LIBRARIES")
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME name)
  add_compile_options(-Wno-error) # a warning is for the user to judge

  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  add_library(app_${name} STATIC ${sources})
  target_link_libraries(app_${name} PUBLIC apps_support ${its_LIBRARIES})
  target_include_directories(app_${name} PUBLIC "${THALWEG_USER_APPS}/..")
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/operators.txt")
    thalweg_operators(${name})
  endif()

  add_library(spb_${name} STATIC spb/${name}.cpp)
  target_link_libraries(spb_${name} PUBLIC spb_core app_${name})
  target_include_directories(spb_${name} PUBLIC spb)

  if(TARGET apps_inputs_tool)
    set(declarations "namespace ${name} {\nconst application& about();\n}\n")
    set(listed "&${name}::about()")
    set(missing "")
    configure_file("${PROJECT_SOURCE_DIR}/apps/inputs/registry.cpp.in" registry.cpp @ONLY)
    add_executable(inputs_of_${name} "${CMAKE_CURRENT_BINARY_DIR}/registry.cpp")
    target_link_libraries(inputs_of_${name} PRIVATE apps_inputs_tool app_${name})
    set_target_properties(inputs_of_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/apps/inputs")
  endif()

  thalweg_user_programs(${name} "${CMAKE_CURRENT_SOURCE_DIR}")

  file(GLOB tests CONFIGURE_DEPENDS tests/*_test.cpp)
  find_package(GTest QUIET)
  if(tests AND GTest_FOUND)
    add_executable(test_app_${name} ${tests})
    target_link_libraries(test_app_${name} PRIVATE app_${name} GTest::gmock_main)
    target_include_directories(test_app_${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    set_target_properties(test_app_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  endif()
endfunction()

if(THALWEG_USER_APPS AND TARGET spb_core)
  file(GLOB user_apps CONFIGURE_DEPENDS "${THALWEG_USER_APPS}/*/CMakeLists.txt")
  foreach(user_app IN LISTS user_apps)
    cmake_path(GET user_app PARENT_PATH user_app)
    cmake_path(GET user_app FILENAME name)
    if(TARGET app_${name})
      message(WARNING "${user_app} is left out: Thalweg has an application ${name} itself")
    elseif(DEFINED thalweg_left_out_${name})
      thalweg_user_programs(${name} "${user_app}")
    elseif(EXISTS "${user_app}/spb/${name}.cpp")
      add_subdirectory("${user_app}" "${CMAKE_CURRENT_BINARY_DIR}/user_apps/${name}" EXCLUDE_FROM_ALL)
      if(NOT TARGET spb_${name})
        set(thalweg_left_out_${name} "${user_app}/CMakeLists.txt does not call thalweg_own_app()")
        thalweg_user_programs(${name} "${user_app}")
      endif()
    else()
      message(WARNING "${user_app} is left out: it has no spb/${name}.cpp")
    endif()
  endforeach()
endif()
