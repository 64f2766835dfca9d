# embed(VARIABLE HEADER NAME FILE...) writes a source that defines the string_view tapehead::NAME, declared in the
# header, as the files' contents one after the other, and appends it to the list VARIABLE. Configuring runs anew when a
# file changes.
function(embed variable header name)
  set(text "")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} content)
    string(APPEND text "${content}")
  endforeach()
  set(source ${PROJECT_BINARY_DIR}/embedded/${name}.cpp)
  string(CONCAT text "#include \"${header}\"\n\nnamespace tapehead {\nnamespace {\nconstexpr char text[] = R\"embedded("
         "${text}" ")embedded\";\n}\nconstinit const std::string_view ${name}(text, sizeof text - 1);\n}\n")
  file(WRITE ${source}.new "${text}")
  file(COPY_FILE ${source}.new ${source} ONLY_IF_DIFFERENT)
  set(${variable} ${${variable}} ${source} PARENT_SCOPE)
endfunction()
