# Gives tapehead::float and tapehead::double, the library in single and in double precision.
include(${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/tapeheadTargets.cmake)
