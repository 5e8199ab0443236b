# examples/hunt/*.cu go into the program: a report carries the one that measured its fault on a device (programs.h).
set(programs "")
foreach(name awaited.cu guarded.cu loads.cu mmio.cu silicon.cu unused.cu)
  set(file ${CMAKE_SOURCE_DIR}/examples/hunt/${name})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(APPEND programs "  if (name == \"${name}\") return R\"-----(${text})-----\";\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/hunt/programs.cpp @ONLY CONTENT
  "#include \"hunt/programs.h\"\n\nstd::string_view fencepost::hunt::device_program(std::string_view name) {\n@programs@  return {};\n}\n")
target_sources(${target} PRIVATE ${CMAKE_BINARY_DIR}/hunt/programs.cpp)

# index.md of a report names it.
target_compile_definitions(${target} PRIVATE FENCEPOST_VERSION="${PROJECT_VERSION}")

# What decides a verdict of the gate: gate_print.h.
set(print "")
foreach(name effects.cpp gate.cpp gate.h guarantees.cpp machine.cpp places.cpp ptx_test.cpp)
  set(file ${CMAKE_SOURCE_DIR}/src/metal/hunt/${name})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(SHA256 ${file} hash)
  string(APPEND print ${hash})
endforeach()
string(SHA256 print "${print}")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/hunt/gate_print.cpp @ONLY CONTENT
  "#include \"hunt/gate_print.h\"\n\nstd::string fencepost::hunt::gate_print() { return \"@print@\"; }\n")
target_sources(${target} PRIVATE ${CMAKE_BINARY_DIR}/hunt/gate_print.cpp)
