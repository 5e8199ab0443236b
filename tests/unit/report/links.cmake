target_link_libraries(${target} PRIVATE fencepost_read fencepost_report nlohmann_json::nlohmann_json)
