# SPIR-V is assembled and validated by SPIRV-Tools, linked statically as in `spirv`.
find_library(FENCEPOST_SPIRV_TOOLS NAMES libSPIRV-Tools.a REQUIRED)
target_link_libraries(${target} PRIVATE ${FENCEPOST_SPIRV_TOOLS})
