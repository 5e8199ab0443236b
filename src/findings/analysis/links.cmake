# Published bases of results are SQLite files; only read_base.cpp knows it.
find_path(SQLITE3_INCLUDE sqlite3.h REQUIRED)
find_library(SQLITE3_STATIC libsqlite3.a REQUIRED)
target_include_directories(${target} PRIVATE ${SQLITE3_INCLUDE})
target_link_libraries(${target} PRIVATE ${SQLITE3_STATIC} m ${CMAKE_DL_LIBS} Threads::Threads)
