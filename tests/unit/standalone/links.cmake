target_link_libraries(${target} PRIVATE fencepost_read fencepost_check fencepost_device fencepost_standalone)
# The driver that keeps books, of tests/unit/cuda.
add_dependencies(${target} fake_cuda)
target_compile_definitions(${target} PRIVATE FENCEPOST_FAKE_CUDA="$<TARGET_FILE:fake_cuda>")
