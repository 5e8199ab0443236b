# The verbs without main, so that tests drive them in-process; the program itself for what only a process shows.
file(GLOB cli_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/cli/*.cpp)
list(FILTER cli_sources EXCLUDE REGEX "/main\\.cpp$")
add_library(fencepost_cli_verbs STATIC ${cli_sources})
target_include_directories(fencepost_cli_verbs PUBLIC ${CMAKE_SOURCE_DIR}/build/rooms/cli)
target_link_libraries(fencepost_cli_verbs
  PUBLIC fencepost_synth fencepost_export fencepost_emit fencepost_report fencepost_relax fencepost_check fencepost_front fencepost_cat fencepost_base
  PRIVATE fmt::fmt nlohmann_json::nlohmann_json Threads::Threads CLI11::CLI11)
target_compile_definitions(fencepost_cli_verbs PRIVATE FENCEPOST_VERSION="${PROJECT_VERSION}")
target_link_libraries(${target} PRIVATE fencepost_cli_verbs)
target_compile_definitions(${target} PRIVATE FENCEPOST_PROGRAM="$<TARGET_FILE:fencepost>")
add_dependencies(${target} fencepost)
