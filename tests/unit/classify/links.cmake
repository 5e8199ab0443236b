target_link_libraries(${target} PRIVATE fencepost_classify nlohmann_json::nlohmann_json)
