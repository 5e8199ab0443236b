target_link_libraries(${target} PRIVATE fencepost_prove fencepost_interp)  # the interpreter is the ground truth
