target_link_libraries(${target} PRIVATE fencepost_base)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT FENCEPOST_SANITIZE AND NOT FENCEPOST_FUZZ)  # as src/cli/links.cmake
  target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/small_blocks.cpp)
  target_compile_definitions(${target} PRIVATE FENCEPOST_SMALL_BLOCKS)
endif()
