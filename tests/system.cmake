# Tests of the whole: the repository's own rules, the documents, the program as a user runs it, fuzzing.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# The tree keeps to src/ROOMS, and the checker can fail.
add_test(NAME system.rooms COMMAND ${CMAKE_SOURCE_DIR}/tools/check_rooms)
add_test(NAME system.rooms_checker COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/check_rooms_test.py)
add_test(NAME system.rooms_measured COMMAND ${CMAKE_SOURCE_DIR}/tools/measure_house --check)
add_test(NAME system.rooms_measure_checker COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/measure_house_test.py)
# The sources are laid out as .clang-format has it, and no line is over 120 columns.
add_test(NAME system.format COMMAND ${CMAKE_SOURCE_DIR}/tools/check_format)
set_tests_properties(system.format PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME system.format_checker COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/check_format_test.py)
# Links, the dependency table, what the tree may not say.
add_test(NAME system.docs COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/system/check_docs)
add_test(NAME system.tutorial_runner COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/run_tutorial_test.py)
add_test(NAME system.papers_checker COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/papers_test.py)
# The documents as a site, where mkdocs is installed.
add_test(NAME system.site COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/site_test.py)
set_tests_properties(system.site PROPERTIES SKIP_RETURN_CODE 77)
# The faults that `make mutate` plants still have their lines.
add_test(NAME system.faults COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/system/check_faults_test.py)

if(TARGET fencepost)
  # Every shell line of the documents gives what the documents say.
  file(GLOB executed_docs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/docs/*.md ${CMAKE_SOURCE_DIR}/docs/howto/*.md
    ${CMAKE_SOURCE_DIR}/docs/results/field-cases.md)
  foreach(doc IN LISTS executed_docs)
    file(STRINGS ${doc} blocks REGEX "^```console")
    if(blocks)
      get_filename_component(stem ${doc} NAME_WE)
      set(given)
      if(stem STREQUAL "opencl-c")  # skipped where its tools are absent
        set(given ${CMAKE_CURRENT_SOURCE_DIR}/system/with_opencl_c)
      endif()
      add_test(NAME system.doc.${stem} COMMAND ${given} ${CMAKE_CURRENT_SOURCE_DIR}/system/run_tutorial $<TARGET_FILE:fencepost> ${doc})
      set_tests_properties(system.doc.${stem} PROPERTIES SKIP_RETURN_CODE 77)
    endif()
  endforeach()
  # A conformance suite from nothing to its answer, on devices that need no GPU.
  add_test(NAME system.certify COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/certify_test.py $<TARGET_FILE:fencepost>)
  # What docs/papers.md says of each of the five papers' items.
  add_test(NAME system.papers COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/papers $<TARGET_FILE:fencepost>)
  add_test(NAME system.large_launches COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/large_launches $<TARGET_FILE:fencepost>)
  set_tests_properties(system.large_launches PROPERTIES TIMEOUT 900)
  # The bundled shaders have the verdicts that their table says.
  add_test(NAME system.glsl COMMAND fencepost expect ${CMAKE_SOURCE_DIR}/examples/glsl/expected.csv --root ${CMAKE_SOURCE_DIR} -j 2)
  # So have the rows of table 7 of the ASPLOS 2024 paper, which bench/table7 writes.
  add_test(NAME system.table7 COMMAND fencepost expect ${CMAKE_SOURCE_DIR}/examples/asplos24/table7/expected.csv --root ${CMAKE_SOURCE_DIR} -j 2)
  add_test(NAME system.table7_files COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/bench/table7 --paper --same ${CMAKE_SOURCE_DIR}/examples/asplos24/table7)
  # The same programs in CUDA C++, as PTX of two compilers, and as litmus tests.
  add_test(NAME system.table7_cuda.files COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/bench/table7_cuda --same ${CMAKE_SOURCE_DIR}/examples/asplos24/table7-cuda)
  if(TARGET fencepost_kern)
    add_test(NAME system.table7_cuda COMMAND fencepost expect ${CMAKE_SOURCE_DIR}/examples/asplos24/table7-cuda/expected.csv --root ${CMAKE_SOURCE_DIR} -j 2)
  endif()
  # So have the bundled kernels, where OpenCL C can be compiled.
  add_test(NAME system.opencl_c COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/system/with_opencl_c
    $<TARGET_FILE:fencepost> expect ${CMAKE_SOURCE_DIR}/examples/opencl-c/expected.csv --root ${CMAKE_SOURCE_DIR} -j 2)
  set_tests_properties(system.opencl_c PROPERTIES SKIP_RETURN_CODE 77)
  # So have the bundled PTX modules.
  add_test(NAME system.ptx_modules COMMAND fencepost expect ${CMAKE_SOURCE_DIR}/examples/ptx-modules/expected.csv --root ${CMAKE_SOURCE_DIR} -j 2)
  # So have the bundled kernels of CUDA C++, and pairs of right and wrong ones.
  if(TARGET fencepost_kern)
    foreach(table examples/cuda tests/corpus/cuda-cpp)
      string(MAKE_C_IDENTIFIER ${table} name)
      add_test(NAME system.cuda_cpp.${name} COMMAND fencepost expect ${CMAKE_SOURCE_DIR}/${table}/expected.csv --root ${CMAKE_SOURCE_DIR} -j 2)
    endforeach()
  endif()
  # Kernels that are free of races are found to be so, but for a list.
  if(TARGET fencepost_kern)
    add_test(NAME system.good_kernels COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/good_kernels $<TARGET_FILE:fencepost>)
    set_tests_properties(system.good_kernels PROPERTIES SKIP_RETURN_CODE 77)
    add_test(NAME system.racecheck COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/system/racecheck_test.py $<TARGET_FILE:fencepost>)
    set_tests_properties(system.racecheck PROPERTIES SKIP_RETURN_CODE 77)
  endif()
  # Historical bugs are flagged as they were, and silent as they were mended.
  if(TARGET fencepost_kern)
    add_test(NAME system.fixed_bugs COMMAND fencepost expect ${CMAKE_SOURCE_DIR}/examples/field/fixed/expected.csv --root ${CMAKE_SOURCE_DIR} --suites cuda -j 2)
    add_test(NAME system.fixed_bugs.opencl COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/system/with_opencl_c
      $<TARGET_FILE:fencepost> expect ${CMAKE_SOURCE_DIR}/examples/field/fixed/expected.csv --root ${CMAKE_SOURCE_DIR} --suites opencl)
    set_tests_properties(system.fixed_bugs.opencl PROPERTIES SKIP_RETURN_CODE 77)
  endif()
  # Kernels are judged alike with our own declarations and with a toolkit's headers, where FENCEPOST_CUDA_PATH names one.
  if(TARGET fencepost_kern)
    add_test(NAME system.toolkit_headers COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/field_headers --fencepost $<TARGET_FILE:fencepost>
      --timeout 20 ${CMAKE_SOURCE_DIR}/examples/kernels)
    set_tests_properties(system.toolkit_headers PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
  endif()
  # C functions mean the same as PTX and on the processor.
  add_test(NAME system.ptx_programs COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/ptx_programs.py --fencepost $<TARGET_FILE:fencepost>
    --count 8)
  set_tests_properties(system.ptx_programs PROPERTIES SKIP_RETURN_CODE 77)
  # Locks that are tried until they are had, with --bound auto.
  add_test(NAME system.retry_locks COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/system/retry_locks $<TARGET_FILE:fencepost> ${CMAKE_SOURCE_DIR})
  add_test(NAME system.ptx9_paths COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/system/ptx9_paths $<TARGET_FILE:fencepost> --some 400)
  add_test(NAME system.ptx9_older COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/system/ptx9_older $<TARGET_FILE:fencepost>)
  # Certificates: answers are certified and verified, changed certificates and wrong answers are not.
  add_test(NAME system.certificates COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/certificates $<TARGET_FILE:fencepost>
    $<TARGET_FILE:fencepost-verify> ${CMAKE_SOURCE_DIR} --files 150 --mutants 1000 --restated 60 --wrong 200)
  set_tests_properties(system.certificates PROPERTIES PROCESSORS 2 TIMEOUT 900)
  # Options are refused or have an effect.
  add_test(NAME system.wrong_commands COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/wrong_commands $<TARGET_FILE:fencepost>)
  # The published tables do not depend on names, comments and order.
  add_test(NAME system.scrambled COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/system/scrambled $<TARGET_FILE:fencepost>)
  set_tests_properties(system.scrambled PROPERTIES SKIP_RETURN_CODE 77)
  # A campaign that is killed loses nothing and repeats nothing.
  add_test(NAME system.kill_campaign COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/kill_campaign $<TARGET_FILE:fencepost>)
  # The same in tasks that are killed one by one, and on a cluster of Slurm whose daemons die, where that is installed.
  add_test(NAME system.kill_tasks COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/kill_tasks $<TARGET_FILE:fencepost>)
  add_test(NAME system.slurm_tasks COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/slurm_tasks $<TARGET_FILE:fencepost>)
  set_tests_properties(system.slurm_tasks PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
  add_test(NAME system.kill_verbs COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/kill_verbs $<TARGET_FILE:fencepost>)
  add_test(NAME system.bombs COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/bombs $<TARGET_FILE:fencepost>)
  # The sanitizers bring allocators of their own.
  if(NOT FENCEPOST_SANITIZE AND NOT FENCEPOST_FUZZ)
    add_test(NAME system.no_memory COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/no_memory $<TARGET_FILE:fencepost>)
    add_test(NAME system.failing_writes COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/failing_writes $<TARGET_FILE:fencepost>)
    set_tests_properties(system.no_memory system.failing_writes PROPERTIES SKIP_RETURN_CODE 77)
  endif()
  add_test(NAME system.kill_tune COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/kill_tune $<TARGET_FILE:fencepost>)
  # Where a CUDA toolkit is: a compiler that goes wrong is seen, and a hunt that is killed goes on.
  find_program(FENCEPOST_PTXAS ptxas PATHS /usr/local/cuda/bin)
  if(NOT FENCEPOST_PTXAS)
    set(FENCEPOST_PTXAS_NAME ptxas)
  else()
    set(FENCEPOST_PTXAS_NAME ${FENCEPOST_PTXAS})
  endif()
  add_test(NAME system.hunt_sensitivity COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/hunt_sensitivity
    $<TARGET_FILE:fencepost> ${FENCEPOST_PTXAS_NAME} --tests 400 --one-in 8)
  # What it asks of the model, without a compiler.
  add_test(NAME system.hunt_model COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/hunt_model $<TARGET_FILE:fencepost>)
  add_test(NAME system.kill_hunt COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/kill_hunt
    $<TARGET_FILE:fencepost> ${FENCEPOST_PTXAS_NAME})
  # ptxas takes what gen makes of asynchronous PTX.
  add_test(NAME system.assembled_paths COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/assembled_paths
    $<TARGET_FILE:fencepost> ${FENCEPOST_PTXAS_NAME})
  set_tests_properties(system.assembled_paths PROPERTIES SKIP_RETURN_CODE 77)
  # Compilers of CUDA C++ that go wrong, and one that does not; the compiler is a script.
  add_test(NAME system.hunt_programs COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/hunt_programs
    $<TARGET_FILE:fencepost>)
  # The mapping of libcu++: each row is needed.
  add_test(NAME system.lowering_rows COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/lowering_rows
    $<TARGET_FILE:fencepost> ${CMAKE_SOURCE_DIR})
  set_tests_properties(system.hunt_sensitivity system.kill_hunt PROPERTIES SKIP_RETURN_CODE 77)
  # The comparison with Dartagnan reads what that prints.
  add_test(NAME system.bench_forms COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/bench/forms --build ${CMAKE_BINARY_DIR}/none)
  set_tests_properties(system.bench_forms PROPERTIES PASS_REGULAR_EXPRESSION "there is no program")  # and no row 'refused'
  add_test(NAME system.peer_dartagnan COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/peer_dartagnan_test.py $<TARGET_FILE:fencepost>
    ${CMAKE_SOURCE_DIR})
  # A client that asks a service, beside the same command lines by themselves.
  add_test(NAME system.serve COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/serve_client $<TARGET_FILE:fencepost> ${CMAKE_SOURCE_DIR})
  # One question in one process has the answers of the service.
  add_test(NAME system.ask COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/system/ask_test.py $<TARGET_FILE:fencepost_ask>
    $<TARGET_FILE:fencepost> ${CMAKE_SOURCE_DIR})
  # What the page of the playground asks, and what it reads of the answers.
  add_test(NAME system.playground_contract COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/system/playground_contract_test.py
    $<TARGET_FILE:fencepost_ask> ${CMAKE_SOURCE_DIR})
  # make demo's body, on the program that was just built.
  add_test(NAME system.demo COMMAND ${CMAKE_SOURCE_DIR}/tools/demo $<TARGET_FILE:fencepost>)
  # Hostile inputs, full disks and closed pipes: nothing is lost without a word, nothing is shown that is not the input's.
  add_test(NAME system.fortress COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/fortress $<TARGET_FILE:fencepost>)
  # --untrusted: inputs that want out of their folder, by system calls of their own and by what files may say.
  if(NOT FENCEPOST_SANITIZE AND NOT FENCEPOST_FUZZ)  # the sanitizers make calls of their own
    add_test(NAME system.untrusted COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/untrusted $<TARGET_FILE:fencepost>
      $<TARGET_FILE:fencepost-verify>)
    set_tests_properties(system.untrusted PROPERTIES SKIP_RETURN_CODE 77)
    add_test(NAME system.fortress_untrusted COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/system/fortress
      $<TARGET_FILE:fencepost> --untrusted)
  endif()
  # The program is hardened as far as the tools can; the sanitizers' builds are not.
  if(NOT FENCEPOST_SANITIZE AND NOT FENCEPOST_FUZZ AND CMAKE_BUILD_TYPE STREQUAL "Release")
    add_test(NAME system.hardened COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/system/check_hardened $<TARGET_FILE:fencepost> ${CMAKE_SOURCE_DIR}
      $<TARGET_FILE:fencepost-verify> ${CMAKE_BINARY_DIR}/fencepost_alone ${CMAKE_BINARY_DIR}/libfencepost_kern.so)
  endif()
  # Two builds in folders of different names are the same, bit for bit; the long form builds all that is shipped.
  if(NOT FENCEPOST_SANITIZE AND NOT FENCEPOST_FUZZ AND CMAKE_BUILD_TYPE STREQUAL "Release")
    add_test(NAME system.build_twice COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/system/build_twice ${CMAKE_SOURCE_DIR} fencepost-verify)
    set_tests_properties(system.build_twice PROPERTIES SKIP_RETURN_CODE 77)
  endif()
  # An installed program may be moved; the packages hold what is installed.
  if(NOT FENCEPOST_SANITIZE AND NOT FENCEPOST_FUZZ)
    add_test(NAME system.installed COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/system/installed $<TARGET_FILE:fencepost> ${CMAKE_BINARY_DIR})
    add_test(NAME system.runner COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/system/runner ${CMAKE_BINARY_DIR})
    set_tests_properties(system.runner PROPERTIES SKIP_RETURN_CODE 77)
  endif()
  # Heavy libraries stay out of the start-up path.
  # As src/cli/links.cmake links.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT FENCEPOST_SANITIZE AND NOT FENCEPOST_FUZZ)
    set(linked_in linked-in)
  endif()
  add_test(NAME system.needed COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/system/check_needed $<TARGET_FILE:fencepost> ${linked_in})
endif()

add_subdirectory(fuzz)
