target_link_libraries(${target} PRIVATE fencepost_device fencepost_emit)
