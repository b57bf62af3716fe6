# What a shell and man(1) read, written by the program itself at build time.
set(shell ${PROJECT_BINARY_DIR}/shell)
set(completions gpusel.bash _gpusel gpusel.fish)
list(TRANSFORM completions PREPEND ${shell}/)
add_custom_command(
  OUTPUT ${completions} ${shell}/man/gpusel.1
  COMMAND ${CMAKE_COMMAND} -E make_directory ${shell}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${shell}/man # no page of a command that is gone
  COMMAND gpusel completion bash > ${shell}/gpusel.bash
  COMMAND gpusel completion zsh > ${shell}/_gpusel
  COMMAND gpusel completion fish > ${shell}/gpusel.fish
  COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C $<TARGET_FILE:gpusel> __manual ${shell}/man
  DEPENDS gpusel
  COMMENT "Writing completions and manual pages"
  VERBATIM)
add_custom_target(shell_files ALL DEPENDS ${completions} ${shell}/man/gpusel.1)

# Where the three look for files of packages under the prefix.
install(FILES ${shell}/gpusel.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME gpusel)
# zsh on Debian: packages below /usr, everybody else below /usr/local.
install(FILES ${shell}/_gpusel DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${shell}/_gpusel DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${shell}/gpusel.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY ${shell}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
