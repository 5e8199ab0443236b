target_link_libraries(${target} PRIVATE fencepost_explicit fencepost_read fencepost_check)
