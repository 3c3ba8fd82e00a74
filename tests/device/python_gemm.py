# cx.gemm against PyTorch on a GPU: random extents, strides, types, batches, alpha and beta; integers, so that every product is
# exact and the bits are compared. Then prepared products, streams, layouts beside arrays, others' interface, and refusals.
#   COLEX_GEMM_LIBRARY=.../libcolex_gemm.so python_gemm.py [COUNT]
# SPDX-License-Identifier: Apache-2.0
import collections
import random
import sys

import colex_layouts as cx
import torch

# Of A and B, and of C and D; whether every GPU that this runs on must take them.
TYPES = [
    (torch.float64, torch.float64, True),
    (torch.float32, torch.float32, False),
    (torch.float16, torch.float16, True),
    (torch.float16, torch.float32, True),
    (torch.bfloat16, torch.bfloat16, True),
    (torch.bfloat16, torch.float32, True),
    (torch.int8, torch.int32, True),
    (torch.float8_e4m3fn, torch.float32, False),
    (torch.float8_e5m2, torch.float32, False),
]


def drawn(rng, shape, dtype):
    """Integers from -2 to 2, in a random order of the modes, perhaps within something larger."""
    order = rng.sample(range(len(shape)), len(shape))
    pad = rng.choice([0, 0, 16])
    whole = torch.randint(-2, 3, [shape[k] + (pad if k == order[-1] else 0) for k in order], device="cuda").to(dtype)
    back = whole.permute([order.index(k) for k in range(len(shape))])
    return back[tuple(slice(0, n) for n in shape)]


def right(a, b, c, alpha, beta, dtype):
    product = torch.einsum("mk...,nk...->mn...", a.double(), b.double())
    return (alpha * product + (beta * c.double() if c is not None else 0)).to(dtype)


def one(rng, of, to):
    m, n, k = (rng.choice([8, 64, 128, 200, 256, 384]) for _ in range(3))
    batch = rng.choice([(), (), (3,)])
    a, b = drawn(rng, (m, k, *batch), of), drawn(rng, (n, k, *batch), of)
    alpha, beta = rng.choice([(1, 0), (2, 0), (1, 1), (-1, 2)])
    c = drawn(rng, (m, n, *batch), to) if beta else None
    d = drawn(rng, (m, n, *batch), to)
    wanted = right(a, b, c, alpha, beta, to)
    kernel = cx.gemm(d, a, b, alpha=alpha, beta=beta, c=c, tf32=of == torch.float32)
    torch.cuda.synchronize()
    if not torch.equal(d, wanted):
        raise AssertionError(f"{kernel}: {of} ({m},{n},{k}){batch} alpha {alpha} beta {beta}: another product than PyTorch's")
    return kernel


def random_products(count):
    rng, kernels, refused = random.Random(1), collections.Counter(), collections.Counter()
    for i in range(count):
        of, to, must = TYPES[i % len(TYPES)]
        try:
            kernels[str(of), one(rng, of, to)] += 1
        except cx.GemmError as why:
            refused[str(of), str(why)] += 1
    for (of, why), times in refused.items():
        print(f"refused {times:4} {of}: {why}")
    ran = {of for of, _ in kernels}
    missing = [str(of) for of, _, must in TYPES if must and str(of) not in ran]
    assert not missing, f"no product of {missing}"
    print(f"{sum(kernels.values())} products as PyTorch's, by {len({k for _, k in kernels})} kernels")


def prepared():
    """A product that is planned once, on other arrays; and with residues of B that are kept, which change no bit."""
    a, b, c = (torch.randint(-2, 3, (256, n), device="cuda").half() for n in (128, 128, 256))
    d = torch.zeros(256, 256, device="cuda").half()
    product = cx.PreparedGemm(d, a, b, alpha=2, beta=1, c=c)
    for _ in range(3):
        a, d = torch.randint(-2, 3, (256, 128), device="cuda").half(), torch.zeros_like(d)
        product.run(d, a, b, c)
        torch.cuda.synchronize()
        assert torch.equal(d, right(a, b, c, 2, 1, torch.float16))
    x, y = (torch.randn(n, 2048, device="cuda", dtype=torch.float64) for n in (512, 1024))
    fresh, kept = torch.zeros(512, 1024, device="cuda").double(), torch.zeros(512, 1024, device="cuda").double()
    used = torch.zeros(1, device="cuda", dtype=torch.int32)
    options = dict(emulation=True, reproducible=True, moduli_used=used)
    cx.gemm(fresh, x, y, **options)
    emulated = cx.PreparedGemm(kept, x, y, **options)
    emulated.prepare_operand("b", y)
    emulated.run(kept, x, y)
    torch.cuda.synchronize()
    assert int(used) > 1 and torch.equal(fresh, kept)
    y.zero_()  # it is not read again
    kept.zero_()
    emulated.run(kept, x, y)
    torch.cuda.synchronize()
    assert torch.equal(fresh, kept)
    emulated.prepare_operand("b", y)
    emulated.run(kept, x, y)
    torch.cuda.synchronize()
    assert not kept.any()


def streams():
    """What a stream has enqueued before is waited for, and the product itself is on that stream."""
    stream = torch.cuda.Stream()
    a, b = torch.ones(256, 128, device="cuda").half(), torch.ones(512, 128, device="cuda").half()
    d = torch.zeros(256, 512, device="cuda").half()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
        a.mul_(2)
        cx.gemm(d, a, b)
        done = torch.cuda.Event()
        done.record()
    assert not done.query(), "the product did not wait for its stream"
    stream.synchronize()
    assert bool((d == 256).all())


def layouts():
    """An array and the layout of its elements: here A as 16x16 tiles, each of them in one piece."""
    a, b = torch.randint(-2, 3, (64, 64), device="cuda").half(), torch.randint(-2, 3, (64, 64), device="cuda").half()
    tiled = a.reshape(4, 16, 4, 16).permute(0, 2, 1, 3).contiguous().reshape(-1)
    d = torch.zeros(64, 64, device="cuda").half()
    cx.gemm(d, (tiled, "((16,4),(16,4)):((16,1024),(1,256))"), b)
    torch.cuda.synchronize()
    assert torch.equal(d, right(a, b, None, 1, 0, torch.float16))


class Described:
    """An array that has nothing but __cuda_array_interface__."""

    def __init__(self, tensor):
        self.tensor, self.__cuda_array_interface__ = tensor, tensor.__cuda_array_interface__


def interfaces():
    a, b = torch.randint(-2, 3, (64, 32), device="cuda").half(), torch.randint(-2, 3, (96, 32), device="cuda").half()
    d = torch.zeros(64, 96, device="cuda").half()
    torch.cuda.synchronize()
    cx.gemm(Described(d), Described(a), Described(b), stream=torch.cuda.current_stream().cuda_stream)
    torch.cuda.synchronize()
    assert torch.equal(d, right(a, b, None, 1, 0, torch.float16))


def refusals():
    x = torch.zeros(64, 64, device="cuda").half()
    for match, call in {
        " 32 in ": lambda: cx.gemm(x, x[:32], x),
        "not in the memory": lambda: cx.gemm(x, x.cpu(), x),
        "no kernel is named": lambda: cx.gemm(x, x, x, kernel="no_such_kernel"),
        "": lambda: cx.gemm(x, x, x, beta=1),
        "not multiplied": lambda: cx.gemm(x, x.to(torch.complex64), x),
        "not the type": lambda: cx.PreparedGemm(x, x, x).run(x, x.T, x),
    }.items():
        try:
            call()
        except cx.GemmError as why:
            assert match in str(why) and str(why), why
            print(f"refused, as it should be: {why}")
        else:
            raise AssertionError(f"not refused: {match}")


def main(count="360"):
    random_products(int(count))
    for each in (prepared, streams, layouts, interfaces, refusals):
        each()
    print("prepared products, streams, layouts, interfaces, refusals: good")


if __name__ == "__main__":
    main(*sys.argv[1:])
