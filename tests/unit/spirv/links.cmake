target_link_libraries(${target} PRIVATE fencepost_spirv fencepost_check fencepost_read fencepost_print)
