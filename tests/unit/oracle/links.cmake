target_link_libraries(${target} PRIVATE fencepost_oracle fencepost_synth)
# The slow oracle is slow enough.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/unit/oracle/slow_oracle.cpp PROPERTIES COMPILE_OPTIONS -O2 SKIP_PRECOMPILE_HEADERS ON)
