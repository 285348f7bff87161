# thalweg_compile_as(<target> <source> <option>): compiles a source by another C++ than the libraries want that its target
# uses, -std=c++14 say. CMake knows one standard for a target, the latest that anything wants, and puts it behind all options
# of targets. What belongs to a source alone comes last.
function(thalweg_compile_as target source option)
  set_property(TARGET ${target} PROPERTY THALWEG_STANDARD "${option}")
  set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS "$<TARGET_PROPERTY:THALWEG_STANDARD>")
endfunction()
