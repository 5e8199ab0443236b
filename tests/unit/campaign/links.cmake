target_link_libraries(${target} PRIVATE fencepost_campaign fencepost_results)
