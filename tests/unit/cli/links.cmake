# The verbs, driven in-process; the program itself for what only a process shows.
target_link_libraries(${target} PRIVATE fencepost_verbs)
target_compile_definitions(${target} PRIVATE FENCEPOST_PROGRAM="$<TARGET_FILE:fencepost>")
add_dependencies(${target} fencepost)
