target_link_libraries(${target} PRIVATE fencepost_emit fencepost_front)
