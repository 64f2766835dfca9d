# The programs tapehead-openmpi and tapehead-mpich, for each MPI library that is found. They link what tapehead links,
# but join the ranks that the library's launcher starts; only mpi/communicator.cpp is compiled for each.
pkg_check_modules(OPENMPI IMPORTED_TARGET ompi-c)
pkg_check_modules(MPICH IMPORTED_TARGET mpich)
if(NOT OPENMPI_FOUND AND NOT MPICH_FOUND)
  return()
endif()

file(GLOB mpi_sources CONFIGURE_DEPENDS mpi/*.cpp)
list(FILTER mpi_sources EXCLUDE REGEX communicator.cpp)
add_library(tapehead_mpi STATIC ${mpi_sources})
target_link_libraries(tapehead_mpi PUBLIC tapehead_common)

# The program, and tapehead_mpi_NAME for all that links with the MPI library.
function(add_mpi_program name package)
  if(NOT ${package}_FOUND)
    return()
  endif()
  add_library(tapehead_mpi_${name} OBJECT mpi/communicator.cpp)
  target_link_libraries(tapehead_mpi_${name} PUBLIC tapehead_mpi PkgConfig::${package})
  add_executable(tapehead-${name} apps/launch_mpi.cpp)
  target_link_libraries(tapehead-${name} PRIVATE tapehead_mpi_${name} tapehead_main tapehead_commands)
  if(TAPEHEAD_KERNELS STREQUAL "native")  # packages have none
    install(TARGETS tapehead-${name} COMPONENT mpi)
  endif()
endfunction()
add_mpi_program(openmpi OPENMPI)
add_mpi_program(mpich MPICH)
