target_link_libraries(${target} PRIVATE fencepost_export fencepost_front)
