// What stands between a program and whoever judges it, so that nothing of the program stays behind: not what it forked, not
// what moved to another group or session, not when the judge is interrupted or dies. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace colex {

// Called in a process just forked, before it becomes the program: what returns is the program's process, a child of the one
// that called, which stays behind as its keeper. The keeper waits until the program has ended, or until the pipe `leash` says
// something or nobody is left to write to it; then it ends whatever the program has started, and ends as the program did.
// The judge's own children are never touched.
void become_kept(int leash);

}  // namespace colex
