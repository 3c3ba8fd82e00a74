#!/usr/bin/env bash
# What ./run knows of implementations in use: how each is installed and asked, and who is judged. ./run reads this; by itself it
# does nothing.
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2034,SC2154  # ./run sets what is read here, and reads what is set

# Sets `command` to what answers for the $peer, at $path where it is not installed from PyPI; of the $release. Exits where it
# cannot be had, whoever asks.
peer_command() {
  local adapters=$root/tests/peers python folder
  [[ ! ${release:-} || " ${with_releases[*]} " == *" $peer "* ]] || fail "of $peer there is one version alone"
  case $peer in
    tensor-layouts) adapter tensor_layouts tensor-layouts "$tensor_layouts" ;;
    pycute)
      tagged
      adapter pycute cutlass "${cutlass[@]}"
      [[ ! $path ]] || { find_folder "$path/python/pycute" "$path" && command+=("$folder"); }
      ;;
    torch-pycute)
      adapter pycute torch-pycute typing_extensions
      [[ $path ]] || path=$(alone torch_pycute) || exit
      find_folder "$path/torch/distributed/_pycute" "$path/distributed/_pycute" "$path" && command+=("$folder")
      ;;
    pycute-nvlabs)
      checkout NVlabs/CuTe PYCUTE_NVLABS_PATH
      [[ -d $path/pycute ]] || fail "pycute-nvlabs is not at $path"
      command=("$interpreter" "$adapters/pycute_nvlabs.py" "$path")
      ;;
    cute-static | cute-dynamic)
      [[ ${release:-} ]] || path=${path:-${CUTLASS_PATH:-}}
      cute_command
      ;;
    sycl-tla)
      checkout intel/sycl-tla SYCL_TLA_PATH
      cute_command
      ;;
    cute-dsl) adapter cute_dsl cute-dsl "${dsl[@]}" ;;
    tilelang) adapter tilelang_cute tilelang "${tilelang[@]}" ;;
    flydsl) adapter flydsl flydsl --no-deps flydsl==0.5.0 numpy ;;
    mojo) mojo_command ;;
    tract)
      checkout ColfaxResearch/layout-categories TRACT_PATH
      find_folder "$path/tract/src/tract" "$path/src/tract" "$path"
      adapter tract tract "${dsl[@]}" numpy
      command+=("$folder")
      ;;
    triton) adapter triton triton --no-deps triton==3.9.0 ;;
    relations) adapter relations relations islpy==2026.2.2 ;;
    extracted)
      alone extracted || exit
      command=("$build/extracted")
      ;;
    *) fail "no peer is called '$peer'; ./run help names those there are" ;;
  esac
}
# adapter FILE NAME PACKAGE...: sets `command` to the adapter in that file, `python` to what runs it (peer_python).
adapter() {
  python=$(alone peer_python "${@:2}") || exit
  command=("$python" "$adapters/$1.py")
}
# checkout REPOSITORY VARIABLE: sets `path` to where --path or else the variable says that it is.
checkout() {
  path=${path:-${!2:-}}
  [[ $path ]] || fail "$peer is on no registry: --path a checkout of $1"
}
# Sets `folder` to the first of those that is there.
find_folder() {
  for folder; do [[ ! -d $folder ]] || return 0; done
  fail "$peer is not at $folder"
}

tensor_layouts=tensor-layouts==0.3.2
# The headers of CUTLASS include those of CUDA: of its runtime, of CCCL, and crt/ of nvcc.
cutlass=(--no-deps nvidia-cutlass==4.2.0.0 nvidia-cuda-runtime-cu12==12.9.79 nvidia-cuda-cccl-cu12==12.9.27
  nvidia-cuda-nvcc-cu12==12.9.86)
dsl=(nvidia-cutlass-dsl==4.8.1)
# What it imports but torch, which no answer needs.
tilelang=(--no-deps tilelang==0.1.15 apache-tvm-ffi==0.1.11 cloudpickle ml-dtypes numpy psutil tqdm typing-extensions
  z3-solver==4.15.4.0)

# Those of which `--release` has others than the newest.
with_releases=(pycute cute-static cute-dynamic cute-dsl tensor-layouts tilelang mojo flydsl triton)

# The folder of the wheel of CUTLASS: it has pycute, and CuTe's headers in cutlass_library/source.
cutlass_folder() {
  local python
  python=$(alone peer_python cutlass "${cutlass[@]}") && "$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'
}

# With both, the $path is what the checkout there has at the tag $release.
tagged() {
  [[ ${release:-} && $path ]] || return 0
  local folder=$build/peers/cutlass-$release
  [[ -d $folder ]] || {
    rm -rf "$folder.part" && mkdir -p "$folder.part"
    { git -C "$path" archive "$release" include python/pycute | tar -x -C "$folder.part"; } || fail "$path has no tag $release"
    mv "$folder.part" "$folder"
  }
  path=$folder release=''
}

# CuTe's own headers, of the wheel or of a CUTLASS checkout. A compiler takes its time: as many inputs as fit, more patience.
cute_command() {
  local site include
  alone need g++=g++
  tagged
  adapter cute_static cutlass "${cutlass[@]}"
  site=$(cutlass_folder) || exit
  find_folder "${path:-$site/cutlass_library/source}/include"
  include=("$folder" "$site"/nvidia/cuda_{runtime,cccl,nvcc}/include)
  if [[ $peer != cute-dynamic ]]; then
    command+=("${include[@]}")
    [[ " ${options[*]} " == *" --count"* || " ${options[*]} " == *" --time"[\ =]* ]] || options+=(--time 300s)
    [[ " ${options[*]} " == *" --timeout"* ]] || options+=(--timeout 600)
  else
    command=("$build/peers/cute-dynamic${release:+-$release}${path:+-${path//\//_}}")
    alone compile_cute "${command[0]}" "${include[@]}" || exit
  fi
}
# compile_cute PROGRAM INCLUDE..., unless it is there
compile_cute() {
  [[ ! -x $1 ]] || return 0
  say "compiling CuTe for run-time integers, once"
  "$python" "$adapters/cute_dynamic.py" "$@" >&2 || fail "could not compile CuTe"
}

# The package of packages that holds `layout`, and the compiler that reads it: 1.2.0 for 26.7.0.
mojo_command() {
  local compiler=${release:-26.7.0}
  compiler=${compiler#*.}
  compiler=1.$((${compiler%%.*} - 5)).0
  adapter mojo mojo --no-deps max-mojo-libs==26.7.0 {mojo,mojo-compiler,mojo-compiler-mojo-libs}=="$compiler"
  command+=("${python%/bin/python}/answer")
  alone compile_mojo "${command[2]}" || exit
}
# compile_mojo PROGRAM, unless it is there and newer.
compile_mojo() {
  [[ $1 -nt $adapters/mojo.mojo ]] ||
    "$(dirname "$python")/mojo" build "$adapters/mojo.mojo" -o "$1" >&2 || fail "could not compile Mojo"
}

# The folder of pycute that PyTorch carries: it is plain Python, so that the smallest wheel of any system will do.
torch_pycute() {
  local home=$build/peers/torch-pycute
  [[ -d $home/torch ]] || {
    say "downloading the torch wheel for 5 files of it"
    rm -rf "$home/part"
    "$home/bin/pip" download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --platform win_amd64 \
      --python-version 3.11 --dest "$home/wheel" torch==2.15.0 >&2 || fail "could not download torch"
    "$home/bin/python" -c 'import glob, sys, zipfile
wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + "/wheel/*.whl")[0])
wheel.extractall(sys.argv[1] + "/part", [name for name in wheel.namelist() if "/_pycute/" in name or name == "torch/version.py"])' "$home" || fail "could not unpack torch"
    mv "$home/part/torch" "$home/torch" || fail "could not unpack torch"  # whole or not at all
    rm -rf "$home/wheel" "$home/part"
  }
  printf %s "$home"
}

# In the order of spec/peers.md's making: what takes long comes last.
all_peers=(tensor-layouts pycute torch-pycute pycute-nvlabs tilelang mojo flydsl cute-dynamic cute-dsl tract extracted
  relations triton cute-static sycl-tla)

# What `colex ask --peers` asks: a line for each that can be had, its name and its command, tabs between them.
install_peers() {
  local peer path='' options=() command=()
  mkdir -p "$build/peers"
  for peer in "${all_peers[@]}"; do
    (peer_command && IFS=$'\t' && printf '%s\t%s\n' "$peer" "${command[*]}") || say "left out: $peer"
  done >"$build/peers/installed"
}

# One report each. What cannot be had is said, and left out.
peers() {
  local each status options
  mkdir -p "$build/peers"
  rm -f "$build"/peers/*.json
  for each in "${all_peers[@]}"; do
    options=("${@:---time=60s}")
    [[ $each != tensor-layouts ]] || options=("${@:---time=150s}") # it hangs at two requests, for half a minute each
    [[ $each != cute-static && $each != sycl-tla ]] || options=(--level core "$@")
    status=0
    "$root/run" conform --peer "$each" "${options[@]}" --json "$build/peers/$each.json" >"$build/peers/$each.txt" || status=$?
    ((status != 2)) || say "left out: $each"
  done
  write_peers
}
# All of them as spec/peers.md, and its first table as the guide's summary.
write_peers() {
  local results=$build/peers/results.md text
  "$build/colex" report "$build"/peers/*.json --markdown "$results" --html "$build/peers/results.html"
  # What programs said may name places in this checkout.
  text=$(<"$results")
  printf '%s\n' "${text//"$root/"/}" >"$results"
  {
    printf '# Implementations in use, by the laws\n\n%s\n%s\n%s\n\n' \
      "Asked on $(date +%F) by $("$build/colex" --version)." \
      "Written by \`./run peers\`, never by hand. *Held*: passes, in whatever spelling. What the verdicts mean: [judge.md](guide/judge.md#the-verdicts)." \
      "Laws of operations that are not offered, or that no input reached, are in none of the columns of failures."
    cat "$results"
  } >"$root/spec/peers.md"
  sed '/^$/,$d' "$results" >"$build/peers/summary.md"
  sed -i -e '/^<!-- peers -->$/,/^<!-- \/peers -->$/{//!d}' -e "/^<!-- peers -->$/r $build/peers/summary.md" "$root/spec/guide/judge.md"
}

# The same inputs to each release that history.py lists, in spec/peers/history.txt and .md: with --latest those it lacks.
history() {
  local python peer release path options data=$root/spec/peers/history
  python=$(alone peer_python cutlass "${cutlass[@]}")
  rm -rf "$build/peers/history" && mkdir -p "$build/peers/history"
  python3 "$root/tests/peers/history.py" releases "$python" "$data.txt" "$@" >"$build/peers/releases"
  # Written after each, too: what is broken off is not lost, and --latest goes on from there.
  while write_history && IFS=$'\t' read -r peer release path; do
    options=(--count 32 --cases /dev/null --timeout 60s)
    [[ $peer != cute-static ]] || options=(--count 16 --level core --cases /dev/null)
    # Of a checkout without tags there is one release.
    [[ $path && $release != v* ]] || options+=(--release "$release")
    "$root/run" conform --peer "$peer" ${path:+--path "$path"} "${options[@]}" \
      --json "$build/peers/history/$peer-$release.json" >/dev/null </dev/null || (($? != 2)) || say "left out: $peer $release"
  done <"$build/peers/releases"
}
write_history() { python3 "$root/tests/peers/history.py" write "$data.txt" "$data.md" "$build/peers/history"; }
