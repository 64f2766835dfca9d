# What `cmake --install` puts where. The component "program" is what a user runs; "mpi" are the programs for ranks;
# "library" is for projects whose find_package(tapehead) gives tapehead::float and tapehead::double. Headers include each
# other by their paths here, hence the second include directory.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# A program for some level of x86-64 lies beside those for others, and bin/tapehead chooses (apps/choose_level.cpp).
# Libraries that a package brings along are in the folder of the levels; the old kind of tag also holds for what they
# load themselves.
set(program_folder bin)
if(TARGET tapehead_chooser AND NOT TAPEHEAD_KERNELS STREQUAL "native")
  set(program_folder lib/tapehead/${TAPEHEAD_KERNELS})
  install(PROGRAMS $<TARGET_FILE:tapehead_chooser> DESTINATION bin COMPONENT program RENAME tapehead)
  set_target_properties(tapehead tapehead-gradcheck PROPERTIES INSTALL_RPATH "$ORIGIN/.." INSTALL_RPATH_USE_LINK_PATH OFF)
  foreach(program tapehead tapehead-gradcheck)
    target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)
  endforeach()
endif()
install(TARGETS tapehead tapehead-gradcheck RUNTIME DESTINATION ${program_folder} COMPONENT program)
install(DIRECTORY configs DESTINATION share/tapehead COMPONENT program)

foreach(target flags common float double)
  set_target_properties(tapehead_${target} PROPERTIES EXPORT_NAME ${target})
endforeach()
install(TARGETS tapehead_flags tapehead_common tapehead_float tapehead_double EXPORT tapehead COMPONENT library)
install(EXPORT tapehead NAMESPACE tapehead:: FILE tapeheadTargets.cmake COMPONENT library
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tapehead)

install(DIRECTORY include/tapehead DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(DIRECTORY core nn datasets train predict interchange lab DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tapehead COMPONENT library
        FILES_MATCHING PATTERN *.hpp)

write_basic_package_version_file(${PROJECT_BINARY_DIR}/tapeheadConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/tapeheadConfig.cmake cmake/dependencies.cmake ${PROJECT_BINARY_DIR}/tapeheadConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tapehead COMPONENT library)
