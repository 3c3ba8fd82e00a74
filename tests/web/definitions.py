# Of laws.md (the first argument) what explains an operation: what stands behind `## NAME`, without the laws. Written to the
# second. SPDX-License-Identifier: Apache-2.0
import os
import sys

kept, keeps = [], False
for line in open(sys.argv[1]):
    if line.startswith("#"):
        keeps = line.startswith("## ")
    if keeps:
        kept.append(line)
os.makedirs(os.path.dirname(sys.argv[2]), exist_ok=True)
with open(sys.argv[2], "w") as out:
    out.writelines(kept)
