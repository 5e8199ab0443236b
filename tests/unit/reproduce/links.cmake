target_link_libraries(${target} PRIVATE fencepost_reproduce fencepost_check fencepost_front fencepost_cat)
