# The flags that every target of the project is compiled with, carried by the interface target tapehead_flags. Other
# projects get what decides the layout of numbers, -march above all, but no warnings.
add_library(tapehead_flags INTERFACE)
target_include_directories(tapehead_flags INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR};${PROJECT_SOURCE_DIR}/include>"
                           "$<INSTALL_INTERFACE:include;include/tapehead>")
target_link_libraries(tapehead_flags INTERFACE xsimd xtensor tapehead::xtensor_blas)
target_compile_features(tapehead_flags INTERFACE cxx_std_20)
set(warnings -Wall -Wextra -Wshadow -Wconversion -Werror)
target_compile_options(tapehead_flags INTERFACE "$<BUILD_INTERFACE:${warnings}>")
target_compile_definitions(tapehead_flags INTERFACE SPDLOG_FMT_EXTERNAL XTENSOR_USE_XSIMD HAVE_CBLAS=1)

# Infinities and NaN keep their meaning; only what changes no result is relaxed.
target_compile_options(tapehead_flags INTERFACE -fno-math-errno -fno-trapping-math)

# GCC looks for garbage less often: a tenth of the time of compiling, for a tenth more memory.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tapehead_flags INTERFACE "$<BUILD_INTERFACE:SHELL:--param ggc-min-expand=300>")
endif()

# Loops that the compiler turns into vectors by itself then have the width of those written with xsimd: for many CPUs
# with AVX-512 GCC prefers half of it.
set(widest -mprefer-vector-width=512)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(levels "native, sse4, avx2 and avx512")
  set(flags_of_native -march=native ${widest})
  set(flags_of_sse4 -march=x86-64-v2)
  set(flags_of_avx2 -march=x86-64-v3 -maes)
  set(flags_of_avx512 -march=x86-64-v4 -maes ${widest})
else()
  set(levels "native and neon")
  set(flags_of_native -march=native)
  set(flags_of_neon -march=armv8-a)
endif()
if(NOT DEFINED flags_of_${TAPEHEAD_KERNELS})
  message(FATAL_ERROR "TAPEHEAD_KERNELS is '${TAPEHEAD_KERNELS}'; for ${CMAKE_SYSTEM_PROCESSOR} there are ${levels}")
endif()
target_compile_options(tapehead_flags INTERFACE ${flags_of_${TAPEHEAD_KERNELS}})

# GCC's manual: sanitizers make its warnings of uninitialized numbers wrong more often. Every other build has them.
if(TAPEHEAD_SANITIZERS)
  target_compile_options(tapehead_flags INTERFACE -Wno-maybe-uninitialized)
  target_compile_options(tapehead_flags INTERFACE -fsanitize=${TAPEHEAD_SANITIZERS} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(tapehead_flags INTERFACE -fsanitize=${TAPEHEAD_SANITIZERS})
endif()
