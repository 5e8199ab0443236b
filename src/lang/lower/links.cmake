# The tables of the source tree are found without installation.
if(TARGET ${target})
  set_property(SOURCE ${CMAKE_SOURCE_DIR}/src/lang/lower/table.cpp APPEND PROPERTY COMPILE_DEFINITIONS FENCEPOST_MODELS_SOURCE="${CMAKE_SOURCE_DIR}/models")
endif()
