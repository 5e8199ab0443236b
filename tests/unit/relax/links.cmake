target_link_libraries(${target} PRIVATE fencepost_relax fencepost_front fencepost_emit fencepost_cat)
