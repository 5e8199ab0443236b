target_link_libraries(${target} PRIVATE fencepost_interp fencepost_prove)  # the interpreter is the ground truth
