# The verifier of certificates: a program that links nothing of this one and no other library.
add_executable(fencepost-verify ${sources} ${dir}/main.cpp)
target_include_directories(fencepost-verify PRIVATE ${root})
