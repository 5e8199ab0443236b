# A third of the time that compiling took went into parsing the standard library, fmt and gtest again for each source.
# They are parsed once here, for each set of options that g++ wants a precompiled header of its own for. Tried and lost:
# JSON in the header (0.3 s more for each source that does not use it); clang's and LLVM's headers (a file of 770 MB).
# bench/compile_time measures.
# g++ only: clang, which fuzzing and clang-tidy use, reads the headers as they are.
option(FENCEPOST_PRECOMPILE "Parse the headers of libraries once (g++)" ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR FENCEPOST_FUZZ)
  set(FENCEPOST_PRECOMPILE OFF)
endif()
if(FENCEPOST_PRECOMPILE)
  # ccache looks into what includes a precompiled header only with these; no source uses __DATE__ or __TIME__.
  add_compile_options(-fpch-preprocess)
  if(FENCEPOST_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${FENCEPOST_CCACHE})
  endif()
endif()

# What many sources include. A source includes what it uses all the same: it must compile without these. Named as headers of
# the system, not in a file of ours, whose place would be part of the text: clones could share no object through ccache.
# Not <filesystem> nor <iomanip>: their std::quoted would compete with our functions of that name.
set(fencepost_common_headers <algorithm> <array> <chrono> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string>
  <string_view> <tuple> <unordered_map> <unordered_set> <utility> <variant> <vector> <fmt/format.h>)

# fencepost_precompile(NAME OPTION...): those headers and `further_headers`, compiled with these options.
function(fencepost_precompile name)
  if(FENCEPOST_PRECOMPILE)
    add_library(fencepost_headers_${name} OBJECT ${CMAKE_SOURCE_DIR}/cmake/empty.cpp)
    target_precompile_headers(fencepost_headers_${name} PRIVATE ${fencepost_common_headers} ${further_headers})
    target_compile_options(fencepost_headers_${name} PRIVATE ${ARGN})
    target_link_libraries(fencepost_headers_${name} PRIVATE fmt::fmt)
  endif()
endfunction()

# fencepost_precompiled(TARGET NAME): the target is compiled with that header before each source.
function(fencepost_precompiled target name)
  if(FENCEPOST_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM fencepost_headers_${name})
  endif()
endfunction()

# Rooms that read what people wrote, print, or wait for devices and files: their own speed is not felt, and -O1 takes two
# thirds of the time of -O3 to compile. What evaluates, searches, solves, interprets or proves is not among them.
set(fencepost_light_rooms draw cat litmus spirv shader read print lower axb export cycle ir launch verifier driver code emit
  inspect store hunt plan async campaign fleet tune standalone judge results analysis trial fairness chart page report cli)
set(fencepost_light_options $<$<CONFIG:Release>:-O1>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND fencepost_light_options -Wno-stringop-overflow)  # copies of 2^63 bytes, as in CMakeLists.txt; -O3 sees none
endif()
fencepost_precompile(rooms)
fencepost_precompile(light ${fencepost_light_options})
