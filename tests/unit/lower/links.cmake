target_link_libraries(${target} PRIVATE fencepost_print fencepost_lower fencepost_check)
