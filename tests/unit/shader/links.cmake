target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/unit/spirv)  # spirv_support.h
target_link_libraries(${target} PRIVATE fencepost_shader fencepost_check fencepost_read)
