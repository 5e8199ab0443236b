find_package(CLI11 REQUIRED)
target_link_libraries(${target} PRIVATE CLI11::CLI11)
target_compile_definitions(${target} PRIVATE FENCEPOST_VERSION="${PROJECT_VERSION}")
add_dependencies(fencepost fencepost-verify)  # what checks the certificates that it writes
# The kernel verifier is opened at run time; it is built with the program, so that the two fit.
if(TARGET fencepost_kern)
  add_dependencies(fencepost fencepost_kern)
endif()
