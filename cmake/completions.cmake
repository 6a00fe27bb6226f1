# SPDX-License-Identifier: MIT
# Completion scripts, printed by the program itself from its option tables into the build tree:
# completions/xperf.bash, completions/_xperf, completions/xperf.fish. What cannot be run on this
# machine prints none.
set(XPERF_COMPLETIONS)
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
	file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/completions)
	foreach(pair IN ITEMS bash:xperf.bash zsh:_xperf fish:xperf.fish)
		string(REGEX MATCH "^(.*):(.*)$" pair ${pair})
		set(shell ${CMAKE_MATCH_1})
		set(file ${PROJECT_BINARY_DIR}/completions/${CMAKE_MATCH_2})
		add_custom_command(OUTPUT ${file} COMMAND xperf --complete ${shell} > ${file}
			DEPENDS xperf COMMENT "Completions for ${shell}" VERBATIM)
		list(APPEND XPERF_COMPLETIONS ${file})
	endforeach()
	add_custom_target(completions ALL DEPENDS ${XPERF_COMPLETIONS})
endif()
