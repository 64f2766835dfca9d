#!/usr/bin/env python3
"""Writes docs/gradcheck-beside-pytorch.md: what tapehead's gradient checker and PyTorch's say of the same functions.

    python3 scripts/compare_gradchecks.py build/tapehead_beside_pytorch

Needs: pip install torch==2.13.0 numpy (the CPU build of PyTorch is enough), and the program, which is built by
./dev build tapehead_beside_pytorch. It takes about three minutes.

The program prints inputs, values and gradients with what it has to say; PyTorch's twins of the functions
(pytorch_twins.py) get the same inputs, and must give the same values and gradients.
"""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import textwrap
import time

import pytorch_twins
import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent
TAPEHEADS_TOLERANCES = {"rtol": 1e-8, "atol": 1e-8}  # the defaults of GradcheckOptions
SHOWN_IN_FULL = ("product_transposed", "bias_not_summed")


@dataclasses.dataclass
class Said:
    """What a checker says of a function."""

    line: str  # empty: it passes
    message: str
    seconds: float

    @property
    def milliseconds(self):
        return f"{1e3 * self.seconds:.3g}" if self.seconds < 1 else f"{1e3 * self.seconds:.0f}"


def median_seconds(action, begin=lambda: None):
    """The median of at least three runs, and of a second's worth of short ones; `begin` is not counted."""
    times = []
    while len(times) < 3 or (sum(times) < 1 and len(times) < 101):
        argument = begin()
        start = time.perf_counter()
        action(argument)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


# tapehead


def run_program(program):
    output = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {record["name"]: record for record in map(json.loads, output.splitlines())}


def tapehead_says(record):
    line = "" if record["message"] == "passes" else record["message"].splitlines()[0]
    for finding in record["findings"][:1]:
        kind = f" ({finding['kind']})" if finding["kind"] else ""
        parts = [finding["element"], finding["verdict"] + kind, finding["hint"]]
        line = ": ".join(part for part in parts if part)
    if len(record["findings"]) > 1:
        line += f" (and of {len(record['findings']) - 1} more inputs)"
    return Said(line, record["message"], record["seconds"])


# PyTorch


def tensor_of(record):
    return torch.tensor([float("nan") if x is None else x for x in record["values"]], dtype=torch.float64).reshape(
        record["shape"]
    )


def copies(inputs):
    return tuple(x.detach().clone().requires_grad_() for x in inputs)


def gradcheck(function, inputs, **options):
    """The exception that it raises, or None."""
    try:
        torch.autograd.gradcheck(function, inputs, **options)
    except Exception as error:
        return error
    return None


def first_line(error):
    line = str(error).strip().splitlines()[0].rstrip(",")
    name = type(error).__name__
    return line if name == "GradcheckError" else f"{name}: {line}"


def pytorch_says(function, inputs, begin=copies, **options):
    error = gradcheck(function, begin(inputs), **options)
    seconds = median_seconds(lambda fresh: gradcheck(function, fresh, **options), lambda: begin(inputs))
    return Said(first_line(error) if error else "", str(error) if error else "passes", seconds)


def expect_same_numbers(name, function, leaves, record):
    """Value and gradients, as far as the program gave any, are tapehead's."""
    y = function(*leaves)
    torch.testing.assert_close(y.detach(), tensor_of(record["output"]), rtol=1e-10, atol=1e-12, msg=f"{name}: value")
    if "gradients" not in record:
        return
    y.backward((1 + 0.1 * torch.arange(y.numel(), dtype=torch.float64)).reshape(y.shape))
    for i, (leaf, wanted) in enumerate(zip(leaves, record["gradients"])):
        wanted = tensor_of(wanted)
        if leaf.shape != wanted.shape:  # a parameter that PyTorch lays out otherwise
            break
        grad = torch.zeros_like(leaf) if leaf.grad is None else leaf.grad
        torch.testing.assert_close(
            grad, wanted, rtol=1e-9, atol=1e-11, equal_nan=True, msg=f"{name}: gradient {i}: {grad} {wanted}"
        )


# Both


@dataclasses.dataclass
class Row:
    name: str
    text: str
    tapehead: Said
    pytorch: Said
    tight: Said  # PyTorch with tapehead's tolerances
    fast: Said  # PyTorch's fast mode


def row_of(case, record):
    name = case.__name__
    inputs = [tensor_of(x) for x in record["inputs"]]
    if case.repeatable:
        expect_same_numbers(name, case.apply, copies(inputs), record)
    modes = [pytorch_says(case.apply, inputs, **options) for options in ({}, TAPEHEADS_TOLERANCES, {"fast_mode": True})]
    return Row(name, case.__doc__, tapehead_says(record), *modes)


def decoder_rows(record, record_along_directions):
    """What is said of the decoder, by each way of checking."""
    leaves = tuple(tensor_of(x) for x in record["inputs"])
    function, inputs = pytorch_twins.decoder(leaves)
    inputs = (*copies(inputs[:2]), *inputs[2:])  # the parameters are the layers' own
    expect_same_numbers("decoder", function, inputs, record)
    assert sum(x.numel() for x in inputs) == sum(x.numel() for x in leaves)
    return {
        "tapehead, `gradcheck`": tapehead_says(record),
        "PyTorch, `gradcheck`": pytorch_says(function, inputs, lambda same: same),
        "tapehead, `gradcheck_model`": tapehead_says(record_along_directions),
        "PyTorch, `gradcheck`, `fast_mode=True`": pytorch_says(function, inputs, lambda same: same, fast_mode=True),
    }


# The document


def cell(said, width):
    return textwrap.shorten(said.line, width, placeholder=" ...").replace("|", "\\|") if said.line else "*passes*"


def table(rows):
    yield "| backward pass | tapehead says | ms | PyTorch says | ms |"
    yield "|---|---|---|---|---|"
    for row in rows:
        ours, theirs = row.tapehead, row.pytorch
        yield f"| {row.text} | {cell(ours, 260)} | {ours.milliseconds} | {cell(theirs, 110)} | {theirs.milliseconds} |"


def count(rows, setting):
    missed = [row.text for row in rows if not getattr(row, setting).line]
    found = f"{len(rows) - len(missed)} of {len(rows)}"
    return f"| {found} | {'; '.join(missed) or 'none'} |"


def counts(rows):
    yield "| checker | finds | passes |"
    yield "|---|---|---|"
    yield f"| tapehead {count(rows, 'tapehead')}"
    yield f"| PyTorch {count(rows, 'pytorch')}"
    yield f"| PyTorch, `rtol=1e-8, atol=1e-8` {count(rows, 'tight')}"
    yield f"| PyTorch, `fast_mode=True` {count(rows, 'fast')}"


def in_full(row):
    for checker, said in (("tapehead", row.tapehead), ("PyTorch", row.pytorch)):
        yield from ("", f"{row.text[0].upper()}{row.text[1:]}. {checker}:", "")
        yield from (f"    {line}".rstrip() for line in said.message.strip().splitlines())


def decoder_table(rows):
    yield "| check | says | ms |"
    yield "|---|---|---|"
    for text, said in rows.items():
        yield f"| {text} | {cell(said, 110)} | {said.milliseconds} |"


def machine():
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())[1]
    return f"{os.cpu_count()} cores of {cpu} ({torch.backends.cpu.get_cpu_capability()})"


def version():
    return re.search(r"project\(tapehead VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


def paragraphs(text):
    """Each wrapped to the width of the documents; list items and code as they are."""
    for paragraph in textwrap.dedent(text).strip().split("\n\n"):
        lines = paragraph.splitlines()
        if paragraph.startswith(("    ", "- ", "#")):
            yield from lines
        else:
            yield textwrap.fill(" ".join(lines), 120, break_long_words=False, break_on_hyphens=False)
        yield ""


def document(wrong, right, debatable, decoder, decoder_inputs):
    x, memory = (record["shape"] for record in decoder_inputs[:2])
    d_ff = decoder_inputs[-4]["shape"][0]  # of the last layer's inner weight
    numbers = sum(len(record["values"]) for record in decoder_inputs)
    yield from paragraphs(f"""
        # Gradient checks beside PyTorch's

        This page compares tapehead's gradient checker with PyTorch's on {len(wrong)} wrong backward passes. Each is
        written for tapehead and as a `torch.autograd.Function` with the same mathematics, and both checkers get the
        same inputs. The tables and messages are the output of one run of

            ./dev build tapehead_beside_pytorch
            python3 scripts/compare_gradchecks.py build/tapehead_beside_pytorch

        with tapehead {version()} and PyTorch {torch.__version__}, one thread each, on {machine()} on
        {datetime.date.today()}. A time is the median of several whole checks, whether they pass or not.

        Both checkers have their default settings. `tapehead::gradcheck` compares the gradient for one random cotangent
        with extrapolated differences, element by element, to a relative 1e-8. It also runs the function in other ways
        ([check-your-gradient.md](check-your-gradient.md#what-the-verdicts-mean)). `torch.autograd.gradcheck` compares
        the whole Jacobian with central differences, to a relative 1e-3. It runs each backward pass twice, and once with
        gradients that are zero and undefined. On request it also checks forward mode and batched gradients, and
        `gradgradcheck` checks second derivatives; it takes complex and sparse tensors. tapehead has none of these.
        PyTorch's functions run in Python and tapehead's in C++, which explains a large part of the times at these
        sizes.

        The functions are in `bench/beside_pytorch/` and `scripts/pytorch_twins.py`. Before the checks, the script
        compares the values and the (wrong) gradients of each pair, except where they depend on memory or a random
        generator.

        ## The mistakes, and what each checker says
    """)
    yield from table(wrong)
    yield ""
    yield from counts(wrong)
    yield from ("", "## Correct backward passes, and two borderline cases", "")
    yield from paragraphs("""
        The first four are correct. At a kink there is no derivative that a backward pass could give. If a gradient has
        the shape of the output, PyTorch's autograd sums it itself.
    """)
    yield from table(right + debatable)
    yield from ("", "## Two messages in full")
    for row in wrong:
        if row.name in SHOWN_IN_FULL:
            yield from in_full(row)
    yield from ("", "## A decoder of two layers", "")
    yield from paragraphs(f"""
        These checks are of every input and parameter of two decoder layers: {numbers} numbers, in tapehead
        {len(decoder_inputs)} tensors. With the axes of [shapes.md](shapes.md), D is {x[1]}, H {pytorch_twins.HEADS}, F
        {d_ff}, T {x[0]} and S {memory[0]}. The layers have pre-norm and gelu, in double precision. In PyTorch they are
        two `nn.TransformerDecoderLayer`. The first two checks look at every element; the other two at one random
        direction in each input and parameter.
    """)
    yield from decoder_table(decoder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the path of tapehead_beside_pytorch")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs" / "gradcheck-beside-pytorch.md")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    records = run_program(arguments.program)
    groups = (pytorch_twins.WRONG, pytorch_twins.RIGHT, pytorch_twins.DEBATABLE)
    expected = [case.__name__ for group in groups for case in group] + ["decoder", "decoder_along_directions"]
    if sorted(records) != sorted(expected):
        raise SystemExit(f"the program and pytorch_twins.py differ in {set(records) ^ set(expected)}")
    rows = [[row_of(case, records[case.__name__]) for case in group] for group in groups]
    record = records["decoder"]
    decoder = decoder_rows(record, records["decoder_along_directions"])
    text = "\n".join(document(*rows, decoder, record["inputs"])) + "\n"
    arguments.output.write_text(text)


if __name__ == "__main__":
    main()
