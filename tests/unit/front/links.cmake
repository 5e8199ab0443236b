target_link_libraries(${target} PRIVATE fencepost_front fencepost_emit fencepost_check fencepost_cat)
