# What was measured, as Markdown: the bars of the project, then every table. Needs nothing but Python.
# Usage: report.py RESULTS.JSON             prints the report
#        report.py RESULTS.JSON README.md   puts its short form into the section "Against other engines", or, if everybody
#                                           was held to AVX2, into "Held to AVX2"
import dataclasses
import json
import math
import pathlib
import re
import statistics
import sys

from contenders import CONTENDERS, HEADWAY, SEED


def ratio(ours, theirs):
    """theirs / ours, taken within rounds: (median, lowest, highest)."""
    ratios = [b / a for a, b in zip(ours["rounds"], theirs["rounds"], strict=True)]
    return statistics.median(ratios), min(ratios), max(ratios)


def median(times):
    return statistics.median(times["rounds"])


def best_peer(times):
    """The name of the fastest but Headway; None without peers."""
    return min((name for name in times if name != HEADWAY), key=lambda name: median(times[name]), default=None)


def against_best(times):
    """Times of the best peer over Headway's: (name, (median, lowest, highest)); None when one of them is missing."""
    peer = best_peer(times)
    return (peer, ratio(times[HEADWAY], times[peer])) if peer and HEADWAY in times else None


def quantile(values, share):
    """The smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def growth(points):
    """The exponent e of cost ~ size^e between the first and the last of (size, cost)."""
    (size, cost), (last_size, last_cost) = points[0], points[-1]
    return math.log(last_cost / cost) / math.log(last_size / size)


def limits(results):
    """{case: its line} of bench_limits, without what is the same in every name."""
    return {line["name"].removeprefix("limits/").split("/iterations:")[0]: line for line in results.get("limits", [])}


@dataclasses.dataclass
class Bar:
    """Something to reach. `value` is None when it was not measured."""

    what: str
    bar: str
    value: float | None
    reached: bool
    text: str = ""


def _at_least(what, unit, bar, value, text=""):
    return Bar(what, f">= {bar:g}{unit}", value, value is not None and value >= bar, text or _number(value, unit))


def _at_most(what, unit, bar, value, text=""):
    return Bar(what, f"<= {bar:g}{unit}", value, value is not None and value <= bar, text or _number(value, unit))


def _number(value, unit):
    return "" if value is None else f"{value:.{0 if value >= 10 else 3}f}{unit}"


def _spread(value, unit="x"):
    return f"{value[0]:.2f} {unit} ({value[1]:.2f} to {value[2]:.2f})"


def bars(results):
    """The bars in the order of the project's list."""
    rows = []

    def peers(what, bar, case):
        found = against_best(case["times"]) if case else None
        rows.append(_at_least(what, " x the best peer", bar, found and found[1][0],
                              found and f"{_spread(found[1])}, {found[0]}"))

    for precision, bar in (("f32", 1.4), ("bf16", 1.7), ("int8", 2.3)):
        peers(f"MiniLM, mixed texts, {precision}", bar, results.get("mix", {}).get(precision))
    whole = limits(results).get("mix/f32/whole")
    rows.insert(1, _at_least("MiniLM, mixed texts, f32", " of the machine's limit", 0.85, whole and whole.get("share")))
    peers("equal lengths 32 x 128, f32", 1.2, results.get("equal"))

    layers = [case["times"] for case in results.get("layers", [])]
    shapes = [found[1][0] for times in layers if (found := against_best(times))]
    seed = [ratio(times[HEADWAY], times[SEED])[0] for times in layers if HEADWAY in times and SEED in times]
    rows.append(_at_least("seed layer, every shape", " x the best peer", 1, min(shapes, default=None)))
    rows.append(_at_least("seed layer, geometric mean", " x the best peer", 1.25,
                          statistics.geometric_mean(shapes) if shapes else None))
    rows.append(_at_least("seed layer, geometric mean", " x the seed's code", 3,
                          statistics.geometric_mean(seed) if seed else None))

    for tokens, bar in (("7", 0.65), ("120", 0.75)):
        case = results.get("single", {}).get(tokens)
        found = against_best(case["times"]) if case else None
        rows.append(_at_most(f"one text of {tokens} tokens", " x the best peer's time", bar, found and 1 / found[1][0],
                             found and f"{1 / found[1][0]:.2f} x, {found[0]}"))

    start = results.get("starts", {}).get(HEADWAY)
    rows.append(_at_most("new process to first vector", " s", 0.1, start and median(start)))
    rows.append(_at_most("peak memory", " MB", 120, start and start["peak"] / 1e6))
    threads = results.get("threads")
    scaled = threads and ratio(threads["2"], threads["1"])
    rows.append(_at_least("1 to 2 threads on the mix", " x", 1.9, scaled and scaled[0], scaled and _spread(scaled)))
    # Below 256 tokens the products of the layer outweigh its attention.
    long = [case for case in results.get("sequence", []) if case["tokens"] >= 256 and HEADWAY in case["times"]]
    if len(long) < 2:
        long = []
    rows.append(_at_most("time against T, exponent", "", 2,
                         growth([(case["tokens"], median(case["times"][HEADWAY])) for case in long]) if long else None))
    rows.append(_at_most("memory against T, exponent", "", 1,
                         growth([(case["tokens"], case["planned"]) for case in long]) if long else None))
    return rows


def table(head, rows):
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in [head, ["---"] * len(head), *rows]]
    return "\n".join(lines) + "\n"


def bars_table(results, measured_only=False):
    state = lambda bar: "not measured" if bar.value is None else "yes" if bar.reached else "**no**"
    return table(("what", "bar", "measured", "reached"),
                 [(bar.what, bar.bar, bar.text, state(bar)) for bar in bars(results)
                  if bar.value is not None or not measured_only])


def by_speed(times):
    return sorted(times, key=lambda name: median(times[name]))


def _times_ours(times, name):
    return "" if name == HEADWAY or HEADWAY not in times else _spread(ratio(times[HEADWAY], times[name]))


def embed_table(case):
    """Fastest first."""
    times = case["times"]
    return table(("engine", "texts/s", "Headway is faster by", "texts at a time", "lowest cosine"), [
        (name, f"{case['texts'] / median(times[name]):.1f}", _times_ours(times, name),
         "its own plan" if name == HEADWAY else case.get("batches", {}).get(name, ""), f"{case['cosine'][name]:.5f}")
        for name in by_speed(times)])


def single_table(case):
    times = case["times"]
    ms = lambda name, share: f"{quantile(times[name]['all'], share) * 1e3:.2f}"
    return table(("engine", "median ms", "90 % ms", "99 % ms", "Headway is faster by"), [
        (name, ms(name, 0.5), ms(name, 0.9), ms(name, 0.99), _times_ours(times, name)) for name in by_speed(times)])


def layers_table(cases):
    rows = []
    for case in cases:
        times = case["times"]
        peer, value = against_best(times)
        seed = _spread(ratio(times[HEADWAY], times[SEED])) if SEED in times else "not run"
        rows.append((case["shape"], f"{median(times[HEADWAY]) * 1e3:.3f}", f"{median(times[peer]) * 1e3:.3f}", peer,
                     _spread(value), seed))
    return table(("layer", "Headway ms", "best peer ms", "best peer", "best peer / Headway", "seed / Headway"), rows)


def grid_table(cases):
    rows = []
    for case in cases:
        peer, value = against_best(case["times"])
        rate = lambda name: f"{case['batch'] / median(case['times'][name]):.1f}"
        rows.append((case["batch"], case["tokens"], rate(HEADWAY), rate(peer), peer, _spread(value)))
    return table(("texts", "tokens each", "Headway texts/s", "best peer texts/s", "best peer", "ratio"), rows)


def starts_table(cases):
    return table(("engine", "new process to first vector, s", "peak memory, MB"), [
        (name, f"{median(cases[name]):.3f}", f"{cases[name]['peak'] / 1e6:.0f}") for name in by_speed(cases)])


def limits_tables(lines):
    """The machine, then each workload's layers."""
    machine = [(name, f"{line.get('FLOP', line.get('bytes')) * 1e-9:.0f} {'GFLOP/s' if 'FLOP' in line else 'GB/s'}",
                line.get("label", "")) for name, line in lines.items() if "share" not in line]
    layers = [(name, line.get("label", ""), f"{line['real_time']:.1f}", f"{line['of_run']:.1%}", f"{line['share']:.1%}")
              for name, line in lines.items() if "share" in line]
    return [table(("machine", "measured", "at"), machine),
            table(("workload / precision / layer", "type", "ms", "of the run", "of its limit"), layers)]


def about_text(about):
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    held = ""
    if about["avx2"]:
        free = "; ".join(f"{each.name}: {each.free}" for each in CONTENDERS if each.free)
        held = f" Held to AVX2, but for what no switch reaches ({free})."
    quick = " A quick run: few rounds, a part of the cases." if about["quick"] else ""
    return (f"{about['date']}, {about['cpu']} ({' '.join(about['instructions'])}), {about['threads']} threads each, "
            f"{about['system']}. {versions}.{held}{quick}\n")


METHOD = """Everybody runs in turn, in a process of its own, with the same threads, on the same texts; tokenizing
counts for everybody. A ratio is taken within a round; the median of all rounds is given, with the lowest and the highest.
"""


LIMIT = """The limit of a layer is the larger of its arithmetic at the machine's peak for its type and its weights at the
machine's read bandwidth; both were measured in this run.
"""


def markdown(results):
    parts = ["# Headway and its peers\n", about_text(results["about"]), METHOD, bars_table(results)]
    for precision, case in results.get("mix", {}).items():
        parts += [f"## all-MiniLM-L6-v2, {case['texts']} mixed texts, {precision}\n", embed_table(case)]
    if case := results.get("equal"):
        parts += ["## all-MiniLM-L6-v2, 32 texts of 128 tokens, f32\n", embed_table(case)]
    for tokens, case in results.get("single", {}).items():
        parts += [f"## One text of {tokens} tokens, f32\n", single_table(case)]
    if cases := results.get("grid"):
        parts += ["## Throughput by batch and length, f32\n", grid_table(cases)]
    if cases := results.get("layers"):
        parts += ["## The MultiHead layer, f32\n", layers_table(cases)]
    if cases := results.get("sequence"):
        parts += ["## One sequence of T tokens through the MultiHead layer, f32\n", layers_table(cases)]
    if cases := results.get("starts"):
        parts += ["## Start and memory, f32\n", starts_table(cases)]
    if lines := limits(results):
        parts += ["## Against the machine's limit\n", LIMIT, *limits_tables(lines)]
    if failed := results.get("failed"):
        parts += ["## Not measured\n", table(("engine", "case", "why"), [(row["who"], row["what"], row["why"]) for row in failed])]
    return "\n".join(parts)


def heading(results):
    """Of the section of the root's README that shows them."""
    return "### Held to AVX2\n" if results["about"]["avx2"] else "## Against other engines\n"


def short(results):
    """What the root's README shows."""
    how = ("`bench/peers/run.sh --avx2` measures this.\n" if results["about"]["avx2"] else
           "`bench/peers/run.sh` measures this; [its README](bench/peers/README.md) says how.\n")
    parts = [heading(results), how, about_text(results["about"]), bars_table(results, measured_only=results["about"]["avx2"])]
    for precision, case in results.get("mix", {}).items():
        parts += [f"all-MiniLM-L6-v2, {case['texts']} mixed texts, {precision}:\n", embed_table(case)]
    return "\n".join(parts)


def with_section(text, title, section):
    """`text` with what stands between `title` and the next heading replaced. ValueError when there is no such title."""
    begin = text.index(title)
    end = re.compile("\n##+ ").search(text, begin + len(title))
    return text[:begin] + section + (text[end.start():] if end else "")


def main():
    results = json.loads(pathlib.Path(sys.argv[1]).read_text())
    if len(sys.argv) == 2:
        print(markdown(results), end="")
    else:
        file = pathlib.Path(sys.argv[2])
        file.write_text(with_section(file.read_text(), heading(results), short(results)))


if __name__ == "__main__":
    main()
