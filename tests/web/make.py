# Packs the playground: one page and one module for node, each with the engine in it.
#   make.py ENGINE DATA OUT    ENGINE: the folder of colex.js and colex.wasm; DATA: what the page knows beside, as JSON
# SPDX-License-Identifier: Apache-2.0
import base64
import gzip
import pathlib
import re
import sys

PAGE = pathlib.Path(__file__).parent / "page"
# In the order in which one needs another; each has names of its own, so that together they are one module.
MODULES = "base engine picture table code others link form complete question exercise main".split()


def packed(data):
    return gzip.compress(data, 9, mtime=0)


def in_page(data):
    """Four bytes are five letters, so that the page stays small; none of them means anything to HTML. base.js reads them."""
    return base64.b85encode(data).decode().replace("<", ",")


def engine(folder):
    glue, wasm = (folder / "colex.js").read_bytes(), (folder / "colex.wasm").read_bytes()
    return packed(b"%8d" % len(glue) + glue + wasm)


def lean(name):
    """A file of the page, without what is there for who reads it: the page must stay small."""
    return re.sub(r"^[ \t]+|^[ \t]*//.*\n", "", (PAGE / name).read_text(), flags=re.M)


def module(name):
    text = lean(f"{name}.js")
    text = re.sub(r"^import .*?;\n", "", text, flags=re.M | re.S)
    return re.sub(r"^export ", "", text, flags=re.M)


def filled(template, parts):
    return re.sub(r"@([A-Z]+)@", lambda m: parts[m[1]], template)


def main(engine_folder, data, out):
    folder = pathlib.Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    packed_engine = engine(pathlib.Path(engine_folder))
    parts = {"ENGINE": in_page(packed_engine), "DATA": in_page(packed(pathlib.Path(data).read_bytes()))}
    parts["MODULE"] = base64.b64encode(packed_engine).decode()
    parts["STYLE"] = lean("style.css")
    parts["WORKER"] = lean("worker.js")
    parts["SCRIPT"] = "".join(module(name) for name in MODULES)
    for name, made in (("playground.html", "playground.html"), ("node.mjs", "colex.mjs")):
        (folder / made).write_text(filled((PAGE / name).read_text(), parts))


if __name__ == "__main__":
    main(*sys.argv[1:])
