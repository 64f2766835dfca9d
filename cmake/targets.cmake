# How the targets are made: which sources see Scalar, and what each precision of the library is built with.

function(split_by_precision scalar common)
  set(scalar_found "")
  foreach(source ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} mentions REGEX "TAPEHEAD_PRECISION" LIMIT_COUNT 1)
    if(mentions)
      list(APPEND scalar_found ${source})
    endif()
  endforeach()
  list(REMOVE_ITEM ARGN ${scalar_found})
  set(${scalar} ${scalar_found} PARENT_SCOPE)
  set(${common} ${ARGN} PARENT_SCOPE)
endfunction()

function(add_scalar_library name precision)
  add_library(${name} STATIC ${ARGN})
  target_compile_definitions(${name} PUBLIC TAPEHEAD_PRECISION=${precision})
  target_link_libraries(${name} PUBLIC tapehead_common)
  # GCC 12 takes the undefined operand inside AVX-512 intrinsics, which xsimd is made of, for a mistake,
  # of which it is sure where sanitizers are on.
  target_compile_options(${name} PRIVATE -Wno-maybe-uninitialized)
  if(TAPEHEAD_SANITIZERS)
    target_compile_options(${name} PRIVATE -Wno-uninitialized)
  endif()
  precompile(${name} ${PROJECT_SOURCE_DIR}/core/precompiled.hpp)
  compile_rooms_together(${name} "^core/[^g]" "transformer" "step")
endfunction()

function(precompile name)
  if(TAPEHEAD_PRECOMPILED_HEADERS)
    target_precompile_headers(${name} PRIVATE ${ARGN})
  endif()
endfunction()

# For code whose own speed matters to nobody: commands and tests compile in half the time.
function(compile_fast name)
  target_compile_options(${name} PRIVATE -O1)
endfunction()

# Makes one source of each room among the target's sources, since most of the time of compiling goes into headers and
# templates that neighbours share. Rooms that match one of the patterns are left as they are.
function(compile_rooms_together name)
  if(NOT TAPEHEAD_ROOMS_TOGETHER)
    return()
  endif()
  list(JOIN ARGN "|" apart)
  get_target_property(sources ${name} SOURCES)
  foreach(source ${sources})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
    cmake_path(GET path PARENT_PATH room)
    if(NOT apart OR NOT room MATCHES "${apart}")
      string(REPLACE / _ room ${room})
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room})
    endif()
  endforeach()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
