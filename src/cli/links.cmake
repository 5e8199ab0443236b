find_package(CLI11 REQUIRED)
target_link_libraries(${target} PRIVATE CLI11::CLI11)
target_compile_definitions(${target} PRIVATE FENCEPOST_VERSION="${PROJECT_VERSION}")
