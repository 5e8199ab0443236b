# The verifier of certificates: a program that links nothing of this one and no other library.
add_executable(fencepost-verify ${sources} ${dir}/main.cpp)
target_include_directories(fencepost-verify PRIVATE ${root})
target_link_options(fencepost-verify PRIVATE $<$<CXX_COMPILER_ID:GNU>:-static-libstdc++ -static-libgcc>)  # it starts in half the time
