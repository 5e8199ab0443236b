target_link_libraries(${target} PRIVATE fencepost_read fencepost_print fencepost_check)
