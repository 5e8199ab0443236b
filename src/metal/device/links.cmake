# Vulkan's headers only: the loader is opened at run time.
find_path(FENCEPOST_VULKAN_HEADERS vulkan/vulkan_core.h REQUIRED)
target_include_directories(${target} PRIVATE ${FENCEPOST_VULKAN_HEADERS})
target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
