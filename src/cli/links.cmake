find_package(CLI11 REQUIRED)
target_link_libraries(${target} PRIVATE CLI11::CLI11)
target_compile_definitions(${target} PRIVATE FENCEPOST_VERSION="${PROJECT_VERSION}")
# What `fencepost --version --verbose` names: the packages of this build that are linked or used as headers.
execute_process(COMMAND ${CMAKE_SOURCE_DIR}/tools/make_notices versions OUTPUT_VARIABLE parts
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
string(REPLACE "\n" "\\n" parts "${parts}")
set_property(SOURCE ${dir}/run.cpp APPEND PROPERTY COMPILE_DEFINITIONS FENCEPOST_PARTS="${parts}")
add_dependencies(fencepost fencepost-verify)  # what checks the certificates that it writes
# The kernel verifier is opened at run time; it is built with the program, so that the two fit.
if(TARGET fencepost_kern)
  add_dependencies(fencepost fencepost_kern)
endif()
# A short start (bench/start): the libraries of C++ and of fmt are linked in, since looking up their symbols takes longer than
# deciding a small test; relative relocations are packed. The kernel verifier, opened at run time, keeps its own libraries.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT FENCEPOST_SANITIZE AND NOT FENCEPOST_FUZZ)
  include(CheckLinkerFlag)
  check_linker_flag(CXX -Wl,-z,pack-relative-relocs FENCEPOST_PACKS_RELOCATIONS)
  add_library(fencepost_fmt OBJECT ${CMAKE_SOURCE_DIR}/cmake/fmt.cpp)
  target_link_libraries(fencepost_fmt PRIVATE fmt::fmt)
  target_sources(fencepost_alone PRIVATE ${CMAKE_SOURCE_DIR}/cmake/older_glibc.cpp)  # tools/make_runner packs it
  foreach(program fencepost fencepost_alone)
    target_sources(${program} PRIVATE $<TARGET_OBJECTS:fencepost_fmt>)
    target_link_options(${program} PRIVATE -static-libstdc++ -static-libgcc -Wl,--as-needed)
    if(FENCEPOST_PACKS_RELOCATIONS)
      target_link_options(${program} PRIVATE -Wl,-z,pack-relative-relocs)
    endif()
  endforeach()
endif()
# `serve` for one question, in one process (ask.cc).
add_executable(fencepost_ask ${dir}/ask.cc)
target_link_libraries(fencepost_ask PRIVATE fencepost_verbs nlohmann_json::nlohmann_json)
