target_link_libraries(${target} PRIVATE fencepost_read fencepost_campaign fencepost_standalone)
# A driver library that keeps books and runs nothing.
add_library(fake_cuda SHARED ${dir}/fake/fake_cuda.cpp)
add_dependencies(${target} fake_cuda)
target_compile_definitions(${target} PRIVATE FENCEPOST_FAKE_CUDA="$<TARGET_FILE:fake_cuda>")
target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
