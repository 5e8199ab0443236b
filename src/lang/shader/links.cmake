# GLSL is compiled by glslang, linked statically: it costs the start nothing until a shader comes.
foreach(library glslang MachineIndependent GenericCodeGen OGLCompiler OSDependent SPIRV glslang-default-resource-limits)
  string(MAKE_C_IDENTIFIER FENCEPOST_${library} variable)
  find_library(${variable} NAMES lib${library}.a REQUIRED)
  list(APPEND glsl_libraries ${${variable}})
endforeach()
find_library(FENCEPOST_SPIRV_TOOLS NAMES libSPIRV-Tools.a REQUIRED)
find_library(FENCEPOST_SPIRV_TOOLS_OPT NAMES libSPIRV-Tools-opt.a REQUIRED)
find_package(Threads REQUIRED)
target_link_libraries(${target} PRIVATE -Wl,--start-group ${glsl_libraries} ${FENCEPOST_SPIRV_TOOLS_OPT} ${FENCEPOST_SPIRV_TOOLS} -Wl,--end-group
  Threads::Threads)
