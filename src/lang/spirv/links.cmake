# SPIR-V is read by SPIRV-Tools, linked statically: Debian has no shared library of it, and the start stays quick.
find_library(FENCEPOST_SPIRV_TOOLS NAMES libSPIRV-Tools.a REQUIRED)
target_link_libraries(${target} PRIVATE ${FENCEPOST_SPIRV_TOOLS})
