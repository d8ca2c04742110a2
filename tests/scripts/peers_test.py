# What bench/peers says of measurements: ratios, bars, tables, and the lines between it and its workers.
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "peers"))

import contenders
import protocol
import report
from contenders import HEADWAY, SEED


def times(*rounds):
    return {"rounds": list(rounds), "all": list(rounds)}


def case(ours, theirs):
    """Headway, one peer at `theirs` seconds, and a slower one."""
    return {"texts": 10, "times": {HEADWAY: times(ours), "ONNX Runtime": times(theirs), SEED: times(3 * theirs)},
            "cosine": {HEADWAY: 1.0, "ONNX Runtime": 1.0, SEED: 1.0}}


def bar(results, what, unit=""):
    return next(bar for bar in report.bars(results) if bar.what == what and unit in bar.bar)


class Numbers(unittest.TestCase):
    def test_ratios_are_taken_within_rounds(self):
        # Round by round 2, 3 and 1.5; the ratio of the medians would be 3 / 2.
        self.assertEqual(report.ratio(times(1, 2, 4), times(2, 6, 6)), (2, 1.5, 3))

    def test_rounds_must_be_as_many(self):
        with self.assertRaises(ValueError):
            report.ratio(times(1), times(1, 2))

    def test_the_best_peer_is_never_headway(self):
        found = {HEADWAY: times(1), "a": times(3), "b": times(2)}
        self.assertEqual(report.best_peer(found), "b")
        self.assertIsNone(report.best_peer({HEADWAY: times(1)}))

    def test_quantiles(self):
        self.assertEqual(report.quantile([3, 1, 2, 4], 0.5), 2)
        self.assertEqual(report.quantile([3, 1, 2, 4], 0.9), 4)
        self.assertEqual(report.quantile([7], 0.99), 7)

    def test_growth_is_the_exponent(self):
        self.assertAlmostEqual(report.growth([(256, 1), (512, 9), (1024, 16)]), 2)


class Bars(unittest.TestCase):
    def test_nothing_measured_is_nothing_reached(self):
        for each in report.bars({}):
            self.assertIsNone(each.value)
            self.assertFalse(each.reached)
        self.assertIn("not measured", report.bars_table({}))
        self.assertNotIn("| yes |", report.bars_table({}))

    def test_throughput(self):
        self.assertTrue(bar({"mix": {"f32": case(1, 1.5)}}, "MiniLM, mixed texts, f32").reached)
        lost = {"mix": {"f32": case(1, 0.9)}}
        self.assertFalse(bar(lost, "MiniLM, mixed texts, f32").reached)
        self.assertIn("0.90 x", report.bars_table(lost))
        self.assertIn("**no**", report.bars_table(lost))

    def test_every_shape_is_the_slowest_one(self):
        results = {"layers": [case(1, 4), case(1, 1), case(1, 0.5)]}
        self.assertEqual(bar(results, "seed layer, every shape").value, 0.5)
        self.assertAlmostEqual(bar(results, "seed layer, geometric mean", "best peer").value, 2 ** (1 / 3))
        self.assertAlmostEqual(bar(results, "seed layer, geometric mean", "seed's code").value, 3 * 2 ** (1 / 3))

    def test_latency_is_ours_over_theirs(self):
        self.assertTrue(bar({"single": {"7": case(0.6, 1)}}, "one text of 7 tokens").reached)
        self.assertFalse(bar({"single": {"7": case(0.7, 1)}}, "one text of 7 tokens").reached)

    def test_start_and_memory(self):
        results = {"starts": {HEADWAY: times(0.05, 0.2, 0.06) | {"peak": 121_000_000}}}
        self.assertTrue(bar(results, "new process to first vector").reached)
        self.assertFalse(bar(results, "peak memory").reached)

    def test_growth_begins_at_256_tokens(self):
        points = [(16, 1), (256, 1), (512, 5)]
        results = {"sequence": [{"tokens": tokens, "planned": tokens, "times": {HEADWAY: times(seconds)}}
                                for tokens, seconds in points]}
        self.assertFalse(bar(results, "time against T, exponent").reached)
        self.assertTrue(bar(results, "memory against T, exponent").reached)

    def test_share_of_the_limit(self):
        line = {"name": "limits/mix/f32/whole/iterations:1/manual_time", "share": 0.86, "real_time": 1.0, "of_run": 1.0}
        self.assertTrue(bar({"limits": [line]}, "MiniLM, mixed texts, f32", "limit").reached)
        self.assertIn("86.0%", "".join(report.limits_tables(report.limits({"limits": [line]}))))


class Tables(unittest.TestCase):
    def test_the_fastest_comes_first_and_losses_show(self):
        lines = report.embed_table(case(2, 1)).splitlines()
        self.assertTrue(lines[2].startswith("| ONNX Runtime | 10.0 | 0.50 x"), lines[2])
        self.assertTrue(lines[3].startswith(f"| {HEADWAY} | 5.0 |  |"), lines[3])


class Section(unittest.TestCase):
    def test_only_its_own_section_is_replaced(self):
        text = "# Title\n\n## All\n\nold\n\n### Part\n\nold part\n\n## Next\n\nmore\n"
        self.assertEqual(report.with_section(text, "## All\n", "## All\n\nnew\n"),
                         "# Title\n\n## All\n\nnew\n\n### Part\n\nold part\n\n## Next\n\nmore\n")
        self.assertEqual(report.with_section(text, "### Part\n", "### Part\n\nnew\n"),
                         "# Title\n\n## All\n\nold\n\n### Part\n\nnew\n\n## Next\n\nmore\n")

    def test_a_text_without_the_section_is_refused(self):
        with self.assertRaises(ValueError):
            report.with_section("# Title\n", "## All\n", "## All\n")

    def test_what_it_shows(self):
        about = {"date": "2026-01-02", "cpu": "a CPU", "instructions": ["avx2"], "system": "Linux", "threads": 2,
                 "avx2": False, "quick": True, "versions": {HEADWAY: "abc", "onnxruntime": "1.2"}}
        shown = report.short({"about": about, "mix": {"f32": case(1, 2)}})
        for part in ("2026-01-02", "a CPU", "onnxruntime 1.2", "2.00 x", "mixed texts, f32", "A quick run"):
            self.assertIn(part, shown)
        self.assertIn("not measured", shown)
        held = report.short({"about": about | {"avx2": True}, "mix": {"f32": case(1, 2)}})
        self.assertTrue(held.startswith("### Held to AVX2\n"), held)
        self.assertNotIn("not measured", held)


class Lines(unittest.TestCase):
    def test_requests_and_replies(self):
        self.assertEqual(protocol.fields(protocol.request("layer", "a folder", 2)), ["layer", "a folder", "2"])
        self.assertEqual(protocol.reply("ok\t0.5\t0.25\n"), ["0.5", "0.25"])
        self.assertEqual(protocol.reply("ok\n"), [])

    def test_refusals_say_why(self):
        with self.assertRaisesRegex(protocol.Refused, "no bf16 here"):
            protocol.reply("error\tno bf16 here\n")

    def test_noise_is_no_reply(self):
        with self.assertRaises(ValueError):
            protocol.reply("Loading weights\n")
        with self.assertRaises(ValueError):
            protocol.request("embed", "a\tb")


class Contenders(unittest.TestCase):
    def test_the_seed_is_what_layers_are_held_to(self):
        self.assertEqual(contenders.layer_runners()[0].name, SEED)

    def test_headway_and_the_reference_take_part(self):
        for precision in ("f32", "bf16", "int8"):
            self.assertIn(HEADWAY, [each.name for each in contenders.embedders(precision, quick=True)])
        self.assertIn("f32", contenders.named(contenders.REFERENCE).embeds)


if __name__ == "__main__":
    unittest.main()
