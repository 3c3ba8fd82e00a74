# Writes the C++ source that holds the texts the tool reads, so that it runs without the sources. OUTPUT: the file to write;
# ROOT: the checkout; TEXTS: places in it. SPDX-License-Identifier: Apache-2.0
set(rows "")
foreach(place IN LISTS TEXTS)
  file(READ "${ROOT}/${place}" text)
  string(FIND "${text}" ")text\"" end_of_literal)
  if(NOT end_of_literal EQUAL -1)
    message(FATAL_ERROR "${place} holds what ends the string literal that it is to stand in")
  endif()
  string(APPEND rows "    {\"${place}\", R\"text(${text})text\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Written by cmake/embed.cmake.\n#include \"tests/suite/judge/texts.hpp\"\n
std::span<colex::text const> colex::texts() {
  static text const all[] = {\n${rows}  };
  return all;
}\n")
