"""Compile ``data/instructions/forms.c`` for three processors, run each function in an emulator, count.

``cure.c``, the getter and its repairs, goes the same way; there it is the result that is written down.

The lab does not need this to run: its results are in ``data/instructions``. To get them again, on Debian::

    apt-get install gcc gcc-arm-linux-gnueabihf gcc-mipsel-linux-gnu
    pip install unicorn ziglang                        # beside the lab; ziglang brings clang
    python tests/bench/count_instructions.py           # writes the csv files and listings.txt
    python tests/bench/count_instructions.py --check   # writes nothing, 1 if they would change

The emulator executes one instruction after the other and knows nothing of time: counts are exact, and the
same on every computer. Another version of a compiler gives other counts; each row says which one made it.
What each function did to the header, or read from it, is compared with the package's codec first.
"""

import argparse
import csv
import io
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path

import unicorn as uc
from unicorn import arm_const, mips_const, x86_const

from lan966x_lab import data_path, ifh
from lan966x_lab.measure.counted import header_work
from lan966x_lab.measure.counted.instructions import GETTERS, TITLE, Counted, Cured, loops

FOLDER = data_path("instructions")
FLAGS = [
    *("-std=gnu11", "-ffreestanding", "-fno-pic", "-fomit-frame-pointer", "-fno-stack-protector"),
    *("-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-Wall", "-Wextra", "-Werror"),
]
TEXT, STACK, DATA, STOP = 0x10000, 0x80000, 0x90000, 0xA0000
HEADER, VALUES, READY = DATA + 0x100, DATA + 0x200, DATA + 0x300
FRAME = dict(header_work.PTP)
ORDER = ("DSTS", "QOS_CLASS", "IPV", "TCI", "REW_CMD", "TIMESTAMP")  # of values[] in forms.c
RECEIVED = {"SRCPORT": 1, "LEN": 1518, "TIMESTAMP": 0x1234_5678}
WRITTEN = (0x1234_0000, 0x8000_0000)  # to TIMESTAMP: an ordinary time, and the first one with bit 31
READS = {"RX2": ("SRCPORT", "TIMESTAMP"), "RX3": header_work.READ}
TX, RX = ifh.LAN966X


@dataclass(frozen=True)
class Processor:
    """How to compile for a processor and how to call a function on it."""

    name: str
    binutils: str  # the prefix of gcc, ld, objcopy and objdump
    gcc: str
    clang: str
    emulator: tuple[int, int]
    arguments: tuple[int, int, int]
    stack: int
    link: int | None  # the register with the return address; None: on the stack
    results: tuple[int, ...]  # 32-bit halves, low one first, or one 64-bit register


PROCESSORS = (
    Processor(
        "x86-64",
        "",
        "-mgeneral-regs-only",
        "x86_64-freestanding -mcpu=x86_64 -mno-sse",
        (uc.UC_ARCH_X86, uc.UC_MODE_64),
        (x86_const.UC_X86_REG_RDI, x86_const.UC_X86_REG_RSI, x86_const.UC_X86_REG_RDX),
        x86_const.UC_X86_REG_RSP,
        None,
        (x86_const.UC_X86_REG_RAX,),
    ),
    Processor(
        "ARMv7-A",
        "arm-linux-gnueabihf-",
        "-marm -mcpu=cortex-a7 -mgeneral-regs-only",
        "arm-freestanding-eabi -mcpu=cortex_a7 -mno-thumb -msoft-float",
        (uc.UC_ARCH_ARM, uc.UC_MODE_ARM),
        (arm_const.UC_ARM_REG_R0, arm_const.UC_ARM_REG_R1, arm_const.UC_ARM_REG_R2),
        arm_const.UC_ARM_REG_SP,
        arm_const.UC_ARM_REG_LR,
        (arm_const.UC_ARM_REG_R0, arm_const.UC_ARM_REG_R1),
    ),
    Processor(
        "MIPS32r2",
        "mipsel-linux-gnu-",
        "-march=mips32r2 -mno-abicalls -msoft-float",
        "mipsel-freestanding-eabi -mcpu=mips32r2 -mno-abicalls -mno-gpopt -msoft-float",
        (uc.UC_ARCH_MIPS, uc.UC_MODE_MIPS32 | uc.UC_MODE_LITTLE_ENDIAN),
        (mips_const.UC_MIPS_REG_A0, mips_const.UC_MIPS_REG_A1, mips_const.UC_MIPS_REG_A2),
        mips_const.UC_MIPS_REG_SP,
        mips_const.UC_MIPS_REG_RA,
        (mips_const.UC_MIPS_REG_V0, mips_const.UC_MIPS_REG_V1),
    ),
)


@dataclass
class Run:
    """One call: the addresses of the instructions executed, in order, and what the function returned."""

    path: list[int] = field(default_factory=list)
    result: int = 0


@dataclass(frozen=True)
class Program:
    """A C file compiled: its machine code, and each function as (address, text) pairs."""

    processor: Processor
    code: bytes
    functions: dict[str, list[tuple[int, str]]]

    @cached_property
    def addresses(self) -> list[int]:
        """Where an instruction begins."""
        return [at for lines in self.functions.values() for at, _ in lines]

    def call(self, name: str, header: bytes, *arguments: int) -> tuple[Run, "uc.Uc"]:
        """Call a function with the header's address and these arguments, until it returns."""
        machine, processor, run = uc.Uc(*self.processor.emulator), self.processor, Run()
        machine.mem_map(TEXT, 0x10000)
        machine.mem_write(TEXT, self.code)
        machine.mem_map(DATA - 0x10000, 0x30000)  # the stack below the data, the place to stop above
        machine.mem_write(HEADER, header)
        machine.mem_write(VALUES, b"".join(FRAME[name].to_bytes(4, "little") for name in ORDER))
        machine.mem_write(READY, TX.encode(header_work.TCP))
        stack = STACK + 0x8000
        if processor.link is None:
            machine.mem_write(stack, STOP.to_bytes(8, "little"))
        else:
            machine.reg_write(processor.link, STOP)
        machine.reg_write(processor.stack, stack)
        for register, argument in zip(processor.arguments, (HEADER, *arguments), strict=False):
            machine.reg_write(register, argument)

        def executed(_machine: object, address: int, size: int, _data: object) -> None:
            run.path += [at for at in self.addresses if address <= at < address + size]

        # whole blocks: hooks inside of one upset MIPS code, which goes on behind a jump for one instruction
        machine.hook_add(uc.UC_HOOK_BLOCK, executed)
        machine.emu_start(self.functions[name][0][0], STOP, timeout=1_000_000)  # µs
        run.result = sum(machine.reg_read(r) << 32 * i for i, r in enumerate(processor.results))
        return run, machine


def tool(command: Sequence[str | Path]) -> str:
    """Run a command; its output, or its complaint and the end."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command[0]} failed: {done.stderr.strip()[-500:]}")
    return done.stdout


def compilers(processor: Processor) -> dict[str, list[str]]:
    """The command of each compiler for this processor, as far as FLAGS and the files."""
    gcc = [f"{processor.binutils}gcc", *processor.gcc.split()]
    clang = [sys.executable, "-m", "ziglang", "cc", "-g0", "-target", *processor.clang.split()]
    commands = {"gcc": gcc, "clang": clang}
    return {f"{name} {level}": [*commands[name], level] for name in commands for level in ("-O2", "-O3")}


def version(command: Sequence[str]) -> str:
    """The version of a compiler, such as ``12.2.0``."""
    if "ziglang" in command:
        return re.search(r"clang version ([\d.]+)", tool([*command[:4], "--version"]))[1]
    return tool([command[0], "-dumpfullversion"]).strip()


def build(processor: Processor, command: Sequence[str], folder: Path, source: str = "forms.c") -> Program:
    """Compile, link to TEXT, and take apart."""
    compiled, linked, code = (folder / f"program.{end}" for end in ("o", "elf", "bin"))
    tool([*command, *FLAGS, "-c", FOLDER / source, "-o", compiled])
    # -N: constants right behind the code, in one piece of memory
    tool([f"{processor.binutils}ld", "-N", f"-Ttext={TEXT:#x}", "-e", "0", "-o", linked, compiled])
    tool([f"{processor.binutils}objcopy", "-O", "binary", "-j", ".text", "-j", ".rodata*", linked, code])
    functions: dict[str, list[tuple[int, str]]] = {}
    disassembly = tool([f"{processor.binutils}objdump", "-d", "--no-show-raw-insn", linked])
    for line in disassembly.splitlines():
        if begin := re.fullmatch(r"[0-9a-f]+ <(\w+)>:", line):
            lines = functions.setdefault(begin[1], [])
        elif found := re.match(r" *([0-9a-f]+):\t(.+)", line):
            text = re.sub(r"-?0x[0-9a-f]+\(%rip\).*", "constant(%rip)", found[2])
            lines.append((int(found[1], 16), re.sub(r"\s*[;#@] .*", "", text).strip()))
    return Program(processor, code.read_bytes(), functions)


def listing(program: Program, run: Run) -> list[str]:
    """The functions that a run went through, as text without addresses: labels, and calls by name."""
    touched = set(run.path)
    chosen = [(name, lines) for name, lines in program.functions.items() if touched & {at for at, _ in lines}]
    chosen.sort(key=lambda item: run.path.index(next(at for at, _ in item[1] if at in touched)))
    names = {lines[0][0]: name for name, lines in program.functions.items()}
    texts = []
    for name, lines in chosen:
        last = max(at for at, _ in lines if at in touched)
        lines = _without_padding(lines, last)
        inside = {at for at, _ in lines}
        jumps = {at: _target(text) for at, text in lines}
        labels = {at: f"L{i}" for i, at in enumerate(sorted({t for t in jumps.values() if t in inside}), 1)}
        texts.append(f"{name}:")
        for at, text in lines:
            if at in labels:
                texts.append(f"{labels[at]}:")
            mnemonic, *rest = re.sub(r" *<[^>]*>", "", text).split(maxsplit=1)
            operands, target = "".join(rest), jumps[at]
            if target is not None:
                goal = labels.get(target) or names[target]
                operands = re.sub(r"(0x)?[0-9a-f]+$", goal, operands)
            texts.append(f"    {mnemonic:<7} {operands}".rstrip())
    return texts


def _target(text: str) -> int | None:
    found = re.search(r"\b([0-9a-f]+) <[^>]+>", text)
    return int(found[1], 16) if found else None


def _without_padding(lines: list[tuple[int, str]], last: int) -> list[tuple[int, str]]:
    """Leave out what only fills the space up to the next function: no-ops after the last instruction run."""
    end = len(lines)
    while lines[end - 1][0] > last and re.match(
        r"nop|xchg +%ax,%ax|data16|cs nop|\.word|udf|andeq", lines[end - 1][1]
    ):
        end -= 1
    return lines[:end]


def jobs(program: Program) -> Iterator[tuple[str, str, str, Run]]:
    """Call every function; yield (form, args, job, run), each proved right."""
    for name in program.functions:
        if not (found := re.fullmatch(r"(\w+)_(constant|run_time)_(?:([A-Z_]+)_(set|get)|([TR]X\d))", name)):
            continue
        form, args, field_name, way, frame = found.groups()
        job = frame or f"{way} {field_name}"
        if way == "set" or job in ("TX5", "TX7"):
            values = {field_name: FRAME[field_name]} if way else (header_work.TCP if job == "TX5" else FRAME)
            start = bytes(28) if way else b"\xa5" * 28
            arguments = (FRAME[field_name],) if way else (VALUES, READY)
            run, machine = program.call(name, start, *arguments)
            got: object = bytes(machine.mem_read(HEADER, 28))
            want: object = TX.encode(values)
        else:
            run, machine = program.call(name, RX.encode(RECEIVED), VALUES)
            names = (field_name,) if way else READS[job]
            want = [RECEIVED[n] for n in names]
            stored = bytes(machine.mem_read(VALUES, 8 * len(names)))
            got = (
                [run.result]
                if way
                else [int.from_bytes(stored[8 * i :][:8], "little") for i in range(len(names))]
            )
        if got != want:
            sys.exit(f"{name} on {program.processor.name} is wrong: {got} instead of {want}")
        yield form, args, job, run


def cures(program: Program) -> Iterator[tuple[str, int, int]]:
    """Let each getter read what the switch wrote; yield (getter, written, read)."""
    for name in GETTERS:
        for written in WRITTEN:
            run, _ = program.call(name, RX.encode(TIMESTAMP=written))
            yield name, written, run.result


def produce() -> dict[str, str]:
    """The contents of counts.csv, cure.csv and listings.txt."""
    table, cured, listings = io.StringIO(), io.StringIO(), []
    rows, results = (csv.writer(file, lineterminator="\n") for file in (table, cured))
    rows.writerow(column.name for column in fields(Counted))
    results.writerow(column.name for column in fields(Cured))
    for processor in PROCESSORS:
        for compiler, command in compilers(processor).items():
            made_by = version(command)
            with tempfile.TemporaryDirectory() as folder:
                program = build(processor, command, Path(folder))
                getters = build(processor, command, Path(folder), "cure.c")
            for name, written, read in cures(getters):
                results.writerow((compiler, processor.name, name, hex(written), hex(read), made_by))
            for form, args, job, run in jobs(program):
                lines = listing(program, run)
                length = sum(line.startswith(" ") for line in lines)
                cached = len({at // 32 for at in run.path})
                key = (compiler, processor.name, form, args, job)
                counts = (len(run.path), length, len(loops(lines)), cached)
                rows.writerow((*key, *counts, made_by))
                if args == "constant" and " " in job:
                    listings += [TITLE.format(*key), *lines, ""]
    text = "\n".join(listings[:-1]) + "\n"
    return {"counts.csv": table.getvalue(), "cure.csv": cured.getvalue(), "listings.txt": text}


def main() -> int:
    """Write the files, or with ``--check`` compare them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if a file would change")
    check, changed = parser.parse_args().check, 0
    produced = produce()
    for name, content in produced.items():
        path = FOLDER / name
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if old != content:
            changed += 1
            print(f"{name} {'would change' if check else 'written'}")
        if not check:
            path.write_text(content, encoding="utf-8")
    print(
        "nothing changes"
        if not changed
        else f"{changed} of {len(produced)} files differ from what was stored"
    )
    return int(check and changed > 0)


if __name__ == "__main__":
    sys.exit(main())
