find_path(CADICAL_INCLUDE cadical.hpp REQUIRED)
find_library(CADICAL_LIBRARY cadical REQUIRED)
target_include_directories(${target} PRIVATE ${CADICAL_INCLUDE})
target_link_libraries(${target} PRIVATE ${CADICAL_LIBRARY})
