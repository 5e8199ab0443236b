target_link_libraries(${target} PRIVATE fencepost_classify fencepost_synth)
