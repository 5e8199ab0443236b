# What `make install` and `make deb` put where. The program finds its models and the kernel verifier from its own place, so
# an installed folder may be moved. Two components: `prove` is the kernel verifier, which brings clang and LLVM.
include(GNUInstallDirs)
set(pages ${CMAKE_BINARY_DIR}/pages)
# Manual pages and completions are made by the program from its own help texts.
add_custom_target(fencepost_pages COMMAND ${CMAKE_SOURCE_DIR}/tools/make_pages $<TARGET_FILE:fencepost> ${pages} DEPENDS fencepost)

install(TARGETS fencepost fencepost-verify RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT fencepost)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/models DESTINATION ${CMAKE_INSTALL_DATADIR}/fencepost COMPONENT fencepost)
install(DIRECTORY ${pages}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT fencepost)
install(FILES ${pages}/fencepost.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME fencepost
  COMPONENT fencepost)
install(FILES ${pages}/fencepost.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _fencepost
  COMPONENT fencepost)
install(FILES ${pages}/fencepost.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT fencepost)
install(FILES ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/NEWS.md ${CMAKE_SOURCE_DIR}/BUGS-FOUND.md
  ${CMAKE_SOURCE_DIR}/SECURITY.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT fencepost)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT fencepost
  PATTERN "make" EXCLUDE)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT fencepost)
if(TARGET fencepost_kern)
  # Opened by the program alone, so it stands in a folder of its own, at the place where the program looks.
  install(TARGETS fencepost_kern LIBRARY DESTINATION lib/fencepost COMPONENT prove)
endif()
