find_path(CADICAL_INCLUDE cadical.hpp REQUIRED)
find_library(CADICAL_LIBRARY NAMES libcadical.a cadical REQUIRED)
target_include_directories(${target} PRIVATE ${CADICAL_INCLUDE})
target_link_libraries(${target} PRIVATE ${CADICAL_LIBRARY})
# cadical.cpp reads the solver's counts there. Of a shared library nothing is taken, and the counts are not known.
target_link_options(${target} PUBLIC -Wl,--wrap=_ZN7CaDiCaL8Internal7messageEPKcz)
