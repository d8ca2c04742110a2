# What was measured, as SVG files beside the report.
import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "headway"  # the same numbers give the same file
import matplotlib.pyplot as plt

from contenders import CONTENDERS, HEADWAY
from report import median

_COLOURS = dict(zip([contender.name for contender in CONTENDERS], plt.get_cmap("tab20").colors))


def _style(name):
    ours = name == HEADWAY
    return {"color": "black" if ours else _COLOURS[name], "linewidth": 2.5 if ours else 1.2, "zorder": 3 if ours else 2,
            "label": name}


def _save(figure, path):
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    plt.close(figure)


def _lines(axes, cases, size, cost):
    """One line a contender through the cases it took part in."""
    for contender in CONTENDERS:
        points = [(size(case), cost(case, case["times"][contender.name]))
                  for case in cases if contender.name in case["times"]]
        if points:
            axes.plot(*zip(*points), marker="o", markersize=3, **_style(contender.name))


def throughput(cases, path):
    batches = sorted({case["batch"] for case in cases})
    figure, panels = plt.subplots(1, len(batches), figsize=(4 * len(batches), 4), squeeze=False)
    for axes, batch in zip(panels[0], batches):
        _lines(axes, [case for case in cases if case["batch"] == batch], lambda case: case["tokens"],
               lambda case, times: case["batch"] * case["tokens"] / median(times))
        axes.set_xscale("log", base=2)
        axes.set_ylim(bottom=0)
        axes.set(title=f"{batch} texts in one call" if batch > 1 else "one text", xlabel="tokens of each text")
    panels[0][0].set_ylabel("tokens/s")
    panels[0][-1].legend(fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))
    _save(figure, path)


def sequence(cases, path):
    figure, axes = plt.subplots(figsize=(6, 5))
    _lines(axes, cases, lambda case: case["tokens"], lambda case, times: median(times) * 1e3)
    last = cases[-1]
    end = last["tokens"], median(last["times"][HEADWAY]) * 1e3
    axes.plot([end[0] / 8, end[0]], [end[1] / 64, end[1]], "--", color="grey", label="T^2")
    axes.set(xscale="log", yscale="log", xlabel="T, tokens of one sequence", ylabel="ms",
             title="MultiHead [1, T, 384], 12 heads, f32")
    axes.legend(fontsize=7)
    _save(figure, path)


def latency(cases, path):
    figure, panels = plt.subplots(1, len(cases), figsize=(5 * len(cases), 4), squeeze=False)
    for axes, (tokens, case) in zip(panels[0], cases.items()):
        for name, times in case["times"].items():
            ordered = sorted(second * 1e3 for second in times["all"])
            axes.plot(ordered, [(rank + 1) / len(ordered) for rank in range(len(ordered))], **_style(name))
        axes.set(title=f"one text of {tokens} tokens", xlabel="ms", ylabel="share of runs", xscale="log")
    panels[0][-1].legend(fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))
    _save(figure, path)


def starts(cases, path):
    names = sorted(cases, key=lambda name: median(cases[name]), reverse=True)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
    colours = ["black" if name == HEADWAY else _COLOURS[name] for name in names]
    left.barh(names, [median(cases[name]) for name in names], color=colours)
    left.set(title="new process to first vector", xlabel="s")
    right.barh(names, [cases[name]["peak"] / 1e6 for name in names], color=colours)
    right.set(title="peak memory", xlabel="MB")
    _save(figure, path)


def draw(results, folder):
    """A file for each of these that was measured."""
    for section, name, plot in (("grid", "throughput", throughput), ("sequence", "attention", sequence),
                                ("single", "latency", latency), ("starts", "starts", starts)):
        if results.get(section):
            plot(results[section], folder / f"{name}.svg")
