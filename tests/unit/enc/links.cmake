target_link_libraries(${target} PRIVATE fencepost_enc fencepost_front fencepost_cat)
