target_compile_definitions(${target} PRIVATE FENCEPOST_VERSION="${PROJECT_VERSION}")
# The library that the program opens at run time: this room and all below it, with clang and LLVM. What it shares with the
# program it has in copies of its own (hidden), so that the two never mix.
if(FENCEPOST_KERNELS)
  foreach(part base draw term sat ir launch clangfe interp formula flow order prove verifier)
    get_target_property(kind fencepost_${part} TYPE)
    if(kind STREQUAL "STATIC_LIBRARY")
      set_target_properties(fencepost_${part} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()
  endforeach()
  add_library(fencepost_kern SHARED ${dir}/library.cc)
  target_link_libraries(fencepost_kern PRIVATE fencepost_verifier)
  target_compile_definitions(fencepost_kern PRIVATE FENCEPOST_CLANG_RESOURCES="${FENCEPOST_CLANG_RESOURCES}")
  target_link_options(fencepost_kern PRIVATE -Wl,--exclude-libs,ALL -Wl,-Bsymbolic)
  if(NOT FENCEPOST_SANITIZE AND NOT FENCEPOST_FUZZ)  # the sanitizers' functions come from the program
    target_link_options(fencepost_kern PRIVATE -Wl,--no-undefined)
  endif()
endif()
