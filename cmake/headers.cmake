# Makes the tree of headers to install in OUTPUT: the PUBLIC ones of cmake/include and whatever they include. The sources
# include each other from the root of the checkout ROOT; here from <colex/...>, so that a user's include path holds nothing
# but a folder `colex`. SPDX-License-Identifier: Apache-2.0
file(REMOVE_RECURSE "${OUTPUT}")
list(TRANSFORM PUBLIC PREPEND cmake/include/colex/ OUTPUT_VARIABLE waiting)
set(seen ${waiting})
while(waiting)
  list(POP_FRONT waiting header)
  file(READ "${ROOT}/${header}" text)
  string(REGEX MATCHALL "#include \"[^\"\n]+\"" includes "${text}")
  list(TRANSFORM includes REPLACE "#include \"(.+)\"" "\\1")
  list(REMOVE_ITEM includes ${seen} "")
  list(APPEND waiting ${includes})
  list(APPEND seen ${includes})
  string(REPLACE "#include \"" "#include \"colex/" text "${text}")
  string(REPLACE cmake/include/colex/ "" installed "${header}")
  file(WRITE "${OUTPUT}/colex/${installed}" "${text}")
endwhile()
