#!/bin/bash -eu
# Builds the targets as OSS-Fuzz and ClusterFuzzLite ask for them: $SRC/colex into $OUT, each with its seeds. Only $OUT is there
# when they run, so that Ubuntu's libraries, which are libstdc++'s, go into $OUT/lib.
# SPDX-License-Identifier: Apache-2.0
export CXXFLAGS="${CXXFLAGS//-stdlib=libc++/}"
cmake -S "$SRC/colex" -B "$WORK/colex" -G Ninja -DCMAKE_BUILD_TYPE=None -DCOLEX_CUDA=OFF -DCOLEX_TESTS=OFF \
  -DCOLEX_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" -DCOLEX_FUZZING_COVERAGE= -DCMAKE_BUILD_RPATH="\$ORIGIN/lib"
python3 "$SRC/colex/fuzz/campaign/seeds.py" "$WORK/seeds"
mkdir -p "$OUT/lib"
for target in laws requests notation wire plans reports; do
  fuzzer=fuzz_$target
  ninja -C "$WORK/colex" "$fuzzer"
  cp "$WORK/colex/$fuzzer" "$OUT/"
  ldd "$WORK/colex/$fuzzer" | awk '/lib(boost|fmt|pugixml|stdc)/ {print $3}' | xargs cp -t "$OUT/lib"
  python3 -m zipfile -c "$OUT/${fuzzer}_seed_corpus.zip" "$WORK/seeds/$target/"
  printf '[libfuzzer]\nmax_len = %s\n' "$([[ $target == notation ]] && echo 2048 || echo 512)" >"$OUT/$fuzzer.options"
done
cp "$WORK/seeds/notation.dict" "$OUT/fuzz_notation.dict"
cp "$WORK/seeds/notation.dict" "$OUT/fuzz_requests.dict"
