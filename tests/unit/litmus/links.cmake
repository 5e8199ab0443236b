target_link_libraries(${target} PRIVATE fencepost_litmus fencepost_print fencepost_read)
