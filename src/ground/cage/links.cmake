# libseccomp builds the filter; linked statically, so that no library more is looked up at the start. Without it the
# room says so, and --untrusted is refused (exit 4).
if(TARGET ${target})
  find_path(SECCOMP_INCLUDE seccomp.h)
  find_library(SECCOMP_LIBRARY NAMES libseccomp.a seccomp)
  if(SECCOMP_INCLUDE AND SECCOMP_LIBRARY)
    target_include_directories(${target} PRIVATE ${SECCOMP_INCLUDE})
    target_link_libraries(${target} PRIVATE ${SECCOMP_LIBRARY})
    set_property(SOURCE ${dir}/filter.cpp APPEND PROPERTY COMPILE_DEFINITIONS FENCEPOST_HAS_SECCOMP)
  endif()
endif()
