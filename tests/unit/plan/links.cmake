target_link_libraries(${target} PRIVATE fencepost_plan fencepost_front fencepost_check fencepost_cat)
