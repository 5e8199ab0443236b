target_link_libraries(${target} PRIVATE fencepost_read fencepost_check fencepost_axb fencepost_oracle)
