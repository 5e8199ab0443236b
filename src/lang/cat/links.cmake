# The shipped models, compiled when the program is built: `pack` is linked with this room alone, writes compiled_models()
# of them, and whoever links the room gets that.
add_executable(fencepost_pack ${dir}/pack.cc)
target_include_directories(fencepost_pack PRIVATE $<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>
  $<TARGET_PROPERTY:fencepost_vocab,INTERFACE_INCLUDE_DIRECTORIES> $<TARGET_PROPERTY:fencepost_base,INTERFACE_INCLUDE_DIRECTORIES>)
add_dependencies(fencepost_pack ${target} fencepost_vocab fencepost_base)
target_link_libraries(fencepost_pack PRIVATE $<TARGET_FILE:${target}> $<TARGET_FILE:fencepost_vocab> $<TARGET_FILE:fencepost_base>
  fmt::fmt Threads::Threads ${CMAKE_DL_LIBS})
set(compiled_models ${CMAKE_CURRENT_BINARY_DIR}/compiled_models.cpp)
file(GLOB model_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/models/*.cat)
add_custom_command(OUTPUT ${compiled_models}
  COMMAND ${CMAKE_COMMAND} -E env FENCEPOST_MODELS=${CMAKE_SOURCE_DIR}/models $<TARGET_FILE:fencepost_pack> ${compiled_models}
  DEPENDS fencepost_pack ${model_files})
add_library(fencepost_compiled_models STATIC ${compiled_models})
target_include_directories(fencepost_compiled_models PRIVATE $<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>
  $<TARGET_PROPERTY:fencepost_vocab,INTERFACE_INCLUDE_DIRECTORIES> $<TARGET_PROPERTY:fencepost_base,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(${target} INTERFACE fencepost_compiled_models)
