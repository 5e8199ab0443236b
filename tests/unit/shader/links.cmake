target_link_libraries(${target} PRIVATE fencepost_shader fencepost_read)
