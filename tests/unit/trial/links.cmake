target_link_libraries(${target} PRIVATE fencepost_trial fencepost_emit fencepost_oracle fencepost_fair)
