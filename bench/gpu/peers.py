#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What other tools and libraries say on this GPU, beside which Assay's numbers are put.

Three parts, each on its own: one that fails (a package that is not here, an error) is reported on stderr and leaves the others.

  timers   a kernel that spins on the GPU's clock for a known time, as Triton's do_bench, torch.utils.benchmark, a pair of events
           and a CUPTI kernel record (through torch.profiler) time it
  sums     torch.sum and CUB (through CuPy) of f32, in CUPTI kernel time, cold by reading
  norm     residual add, then RMSNorm, in bf16: eager and torch.compile, the same way

Prints CSV: part,what,size,tool,median_us,p5_us,p95_us,samples,note

  bench/gpu/peers.py [--parts timers,sums,norm] [--samples 60] [--out FILE]
"""
import argparse
import csv
import json
import os
import re
import statistics
import sys
import tempfile
import traceback

SPIN = r"""
extern "C" __global__ void spin(unsigned long long ns, unsigned long long* elapsed) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  now = start;
  while (now - start < ns) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  *elapsed = now - start;
}
"""
SPIN_NS = [0, 2000, 5000, 10000, 30000, 100000, 1000000]
EVICTION_FACTOR = 4  # times the second-level cache


class Table:
    def __init__(self, file):
        self.writer = csv.writer(file)
        self.file = file
        self.writer.writerow(["part", "what", "size", "tool", "median_us", "p5_us", "p95_us", "samples", "note"])

    def add(self, part, what, size, tool, times_us, note=""):
        times = sorted(times_us)
        if not times:
            self.writer.writerow([part, what, size, tool, "", "", "", 0, note or "no samples"])
        else:
            quantile = lambda share: times[min(len(times) - 1, int(share * len(times)))]
            self.writer.writerow([part, what, size, tool, f"{statistics.median(times):.3f}", f"{quantile(0.05):.3f}",
                                  f"{quantile(0.95):.3f}", len(times), note])
        self.file.flush()


def attempt(what, function, *arguments):
    try:
        return function(*arguments)
    except Exception:  # whatever it is, the rest of the table is worth having
        print(f"peers.py: {what} failed:", file=sys.stderr)
        traceback.print_exc()
        return None


class Evictor:
    """Empties the second-level cache by reading, which leaves no line to be written back."""

    def __init__(self, torch):
        size = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 0) or 64 << 20
        self.buffer = torch.rand(EVICTION_FACTOR * size // 4, device="cuda")
        self.out = torch.empty((), device="cuda")

    def __call__(self, torch):
        torch.amax(self.buffer, dim=0, out=self.out)


def kernel_times_us(torch, call, samples, evict):
    """CUPTI time of all device operations of a call together, one number a call, and the names of those of one call. `evict`
    comes before each call, outside. Read from the trace that the profiler exports, as its format changes least."""
    from torch.profiler import ProfilerActivity, profile, record_function

    for _ in range(5):
        call()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        for _ in range(samples):
            if evict:
                evict(torch)
            torch.cuda.synchronize()
            with record_function("peers_call"):
                call()
                torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(path)
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
    work = sorted((event["ts"], event["dur"], event["name"]) for event in events
                  if event.get("cat") in ("kernel", "gpu_memset", "gpu_memcpy"))
    calls = sorted((event["ts"], event["ts"] + event["dur"]) for event in events
                   if event.get("cat") == "user_annotation" and event["name"] == "peers_call")
    times, names = [], ""
    for start, end in calls:
        inside = [(duration, name) for at, duration, name in work if start <= at <= end]
        if inside:
            times.append(sum(duration for duration, _ in inside))
            names = " + ".join(re.sub(r"[<(].*", "", name.replace("void ", "", 1)) for _, name in inside)
    return times, names


def add_kernel_times(torch, table, samples, evict, part, what, size, tool, call):
    times, names = kernel_times_us(torch, call, samples, evict)
    cold = ", cold by reading" if evict else ""
    table.add(part, what, size, tool, times, f"CUPTI{cold}: {names}")


def event_times_us(torch, call, samples):
    pairs = []
    for _ in range(samples):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        start.record()
        call()
        end.record()
        pairs.append((start, end))
    torch.cuda.synchronize()
    return [start.elapsed_time(end) * 1000 for start, end in pairs]


def make_spin(torch):
    """A call that launches the kernel on torch's stream, and a reader of what it saw; by CuPy."""
    import cupy

    kernel = cupy.RawKernel(SPIN, "spin")
    elapsed = cupy.zeros(1, dtype=cupy.uint64)

    def call(ns):
        # The current stream each time: do_bench and graphs change it.
        with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
            kernel((1,), (1,), (cupy.uint64(ns), elapsed))

    return call, lambda: int(elapsed.get()[0])


def timers(torch, table, samples):
    spin, truth = make_spin(torch)
    for ns in SPIN_NS:
        call = lambda ns=ns: spin(ns)
        call()
        torch.cuda.synchronize()
        seen = []
        for _ in range(samples):
            call()
            torch.cuda.synchronize()
            seen.append(truth() / 1000)
        table.add("timers", "spin", ns, "in-kernel", seen, "by %globaltimer")

        def by_do_bench():
            from triton.testing import do_bench

            times = do_bench(call, warmup=25, rep=100, return_mode="all")
            table.add("timers", "spin", ns, "triton do_bench", [ms * 1000 for ms in times])

        def by_torch_benchmark():
            from torch.utils.benchmark import Timer

            measured = Timer("call()", globals={"call": call}).blocked_autorange(min_run_time=0.2)
            table.add("timers", "spin", ns, "torch.utils.benchmark", [s * 1e6 for s in measured.times])

        attempt(f"do_bench of spin {ns}", by_do_bench)
        attempt(f"torch.utils.benchmark of spin {ns}", by_torch_benchmark)
        attempt(f"events of spin {ns}",
                lambda: table.add("timers", "spin", ns, "event pair", event_times_us(torch, call, samples), "idle queue"))
        attempt(f"CUPTI of spin {ns}", add_kernel_times, torch, table, samples, None, "timers", "spin", ns, "CUPTI record", call)


def sums(torch, table, samples):
    evict = Evictor(torch)
    for n in [1 << 20, (1 << 24) - 1, 1 << 24, 1 << 26, (1 << 26) + 3]:
        x = torch.rand(n, device="cuda") * 2 - 1
        out = torch.empty((), device="cuda")
        attempt(f"torch.sum of {n}", add_kernel_times, torch, table, samples, evict, "sums", "sum f32", n, "torch.sum",
                lambda: torch.sum(x, dim=0, out=out))

        def by_cub():
            import cupy

            array, total = cupy.from_dlpack(x), cupy.empty((), dtype=cupy.float32)

            def call():
                with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
                    array.sum(out=total)

            add_kernel_times(torch, table, samples, evict, "sums", "sum f32", n, "CuPy sum (CUB)", call)

        attempt(f"CUB of {n}", by_cub)


def norm(torch, table, samples):
    evict = Evictor(torch)

    def eager(x, r, w):
        s = x + r
        return s, torch.nn.functional.rms_norm(s, (s.shape[-1],), w, 1e-6)

    for cols in [1024, 8191, 8192, 8193]:
        make = lambda *shape: torch.randn(*shape, device="cuda", dtype=torch.bfloat16)
        x, r, w = make(4096, cols), make(4096, cols), make(cols)
        size = f"4096x{cols}"
        attempt(f"eager {size}", add_kernel_times, torch, table, samples, evict, "norm", "add RMSNorm bf16", size, "torch eager",
                lambda: eager(x, r, w))

        def compiled():
            function = torch.compile(eager, dynamic=False)
            add_kernel_times(torch, table, samples, evict, "norm", "add RMSNorm bf16", size, "torch.compile",
                             lambda: function(x, r, w))

        attempt(f"torch.compile {size}", compiled)


def main():
    # Read when CuPy is imported, by whichever part comes first; the names in the notes show whether CUB was taken.
    os.environ.setdefault("CUPY_ACCELERATORS", "cub")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="timers,sums,norm")
    parser.add_argument("--samples", type=int, default=60)
    parser.add_argument("--out", default="-", help="the CSV file; - for standard output")
    arguments = parser.parse_args()
    known = {"timers": timers, "sums": sums, "norm": norm}
    parts = arguments.parts.split(",")
    for part in parts:
        if part not in known:
            parser.error(f"--parts: there is no '{part}': expected some of {', '.join(known)}")
    if arguments.samples < 1:
        parser.error(f"--samples: found {arguments.samples}, expected a number from 1 up")
    try:
        import torch
    except ImportError as error:
        print(f"peers.py: PyTorch is needed for every part: {error}", file=sys.stderr)
        return 5
    if not torch.cuda.is_available():
        print("peers.py: PyTorch sees no GPU here", file=sys.stderr)
        return 5
    file = sys.stdout if arguments.out == "-" else open(arguments.out, "w", newline="", encoding="utf-8")
    table = Table(file)
    # A stream of its own, which CuPy can be given; the default one has no name that both know.
    with torch.cuda.stream(torch.cuda.Stream()):
        for part in parts:
            attempt(part, known[part], torch, table, arguments.samples)
            torch.cuda.synchronize()
    return 0


if __name__ == "__main__":
    sys.exit(main())
