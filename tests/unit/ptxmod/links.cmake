target_link_libraries(${target} PRIVATE fencepost_ptxmod fencepost_check fencepost_read fencepost_print)
