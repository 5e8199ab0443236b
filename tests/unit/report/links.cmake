target_link_libraries(${target} PRIVATE fencepost_report fencepost_front nlohmann_json::nlohmann_json)
