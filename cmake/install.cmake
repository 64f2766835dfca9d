# What `cmake --install` puts where, so that another project's find_package(tapehead) gives tapehead::float and
# tapehead::double. Headers include each other by their paths here, hence the second include directory.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(tapehead_flags PROPERTIES EXPORT_NAME flags)
set_target_properties(tapehead_common PROPERTIES EXPORT_NAME common)
set_target_properties(tapehead_float PROPERTIES EXPORT_NAME float)
set_target_properties(tapehead_double PROPERTIES EXPORT_NAME double)
install(TARGETS tapehead_flags tapehead_common tapehead_float tapehead_double EXPORT tapehead)
install(TARGETS tapehead tapehead-gradcheck)
install(EXPORT tapehead NAMESPACE tapehead:: FILE tapeheadTargets.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tapehead)

install(DIRECTORY include/tapehead DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY core nn datasets train lab DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tapehead FILES_MATCHING PATTERN *.hpp)

write_basic_package_version_file(${PROJECT_BINARY_DIR}/tapeheadConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/tapeheadConfig.cmake cmake/dependencies.cmake ${PROJECT_BINARY_DIR}/tapeheadConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tapehead)
