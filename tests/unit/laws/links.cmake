target_link_libraries(${target} PRIVATE fencepost_read fencepost_check fencepost_cycle fencepost_print)
