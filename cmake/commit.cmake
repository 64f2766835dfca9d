# TAPEHEAD_COMMIT: the short name of the commit that is built, with "-dirty" if files differ from it; empty where git does
# not know it. Configuring runs anew after each commit.
set(TAPEHEAD_COMMIT "")
find_package(Git QUIET)
if(GIT_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  set(ask ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR})
  execute_process(COMMAND ${ask} describe --always --dirty --abbrev=9 --exclude=*
                  OUTPUT_VARIABLE TAPEHEAD_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${ask} rev-parse --path-format=absolute --git-path logs/HEAD
                  OUTPUT_VARIABLE log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(EXISTS "${log}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${log})
  endif()
endif()
