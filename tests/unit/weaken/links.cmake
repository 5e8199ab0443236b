target_link_libraries(${target} PRIVATE fencepost_check fencepost_front fencepost_emit fencepost_cat fencepost_prog)
