find_package(SQLite3 REQUIRED)
target_link_libraries(${target} PRIVATE SQLite::SQLite3)
