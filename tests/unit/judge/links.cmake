target_link_libraries(${target} PRIVATE fencepost_judge fencepost_chart)
