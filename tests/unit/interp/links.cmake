# Kernels as text: the front end makes the IR.
target_link_libraries(${target} PRIVATE fencepost_clangfe fencepost_interp)
