target_link_libraries(${target} PRIVATE fencepost_fleet)
