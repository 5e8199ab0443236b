target_link_libraries(${target} PRIVATE fencepost_lower fencepost_check fencepost_front fencepost_emit fencepost_cat)
