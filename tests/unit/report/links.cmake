target_link_libraries(${target} PRIVATE fencepost_report fencepost_front fuzz_programs nlohmann_json::nlohmann_json)
