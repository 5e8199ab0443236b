target_link_libraries(${target} PRIVATE fencepost_classify fencepost_oracle fencepost_axb fencepost_fair nlohmann_json::nlohmann_json)
