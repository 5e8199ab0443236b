target_link_libraries(${target} PRIVATE fencepost_driver)
# The library that the tests open.
if(TARGET fencepost_kern)
  add_dependencies(${target} fencepost_kern)
endif()
