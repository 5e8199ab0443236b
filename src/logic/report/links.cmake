target_compile_definitions(${target} PRIVATE FENCEPOST_VERSION="${PROJECT_VERSION}")
