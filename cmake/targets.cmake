# How the targets are made: which sources see Scalar, and what each precision of the library is built with.

function(split_by_precision scalar common)
  set(scalar_found "")
  set(common_found "")
  foreach(source ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} mentions REGEX "TAPEHEAD_PRECISION" LIMIT_COUNT 1)
    if(mentions)
      list(APPEND scalar_found ${source})
    else()
      list(APPEND common_found ${source})
    endif()
  endforeach()
  set(${scalar} ${scalar_found} PARENT_SCOPE)
  set(${common} ${common_found} PARENT_SCOPE)
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
