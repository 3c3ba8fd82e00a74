# Writes the C++ source that holds texts, so that what reads them runs without the sources. OUTPUT: the file to write; ROOT: the
# folders that may hold them, such as the checkout; TEXTS: places in these; HEADER, FUNCTION: what declares the texts, and as
# what. SPDX-License-Identifier: Apache-2.0
set(rows "")
foreach(place IN LISTS TEXTS)
  unset(file CACHE)
  find_file(file "${place}" PATHS ${ROOT} NO_DEFAULT_PATH REQUIRED)
  file(READ "${file}" text)
  string(FIND "${text}" ")text\"" end_of_literal)
  if(NOT end_of_literal EQUAL -1)
    message(FATAL_ERROR "${place} holds what ends the string literal that it is to stand in")
  endif()
  string(APPEND rows "    {\"${place}\", R\"text(${text})text\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Written by cmake/embed.cmake.\n#include \"${HEADER}\"\n
auto ${FUNCTION}() -> std::span<text const> {
  static text const all[] = {\n${rows}  };
  return all;
}\n")
