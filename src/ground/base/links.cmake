# The models of the source tree are found without installation.
if(TARGET ${target})
  file(RELATIVE_PATH models_from_build ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/models)
  set_property(SOURCE ${dir}/models_folder.cpp APPEND PROPERTY COMPILE_DEFINITIONS FENCEPOST_MODELS_FROM_BUILD="${models_from_build}")
endif()
# The kernel library is opened at run time.
if(TARGET ${target})
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
endif()
