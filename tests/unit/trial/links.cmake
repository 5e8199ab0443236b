target_link_libraries(${target} PRIVATE fencepost_trial fencepost_oracle)
