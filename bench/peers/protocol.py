# How the comparison talks to a worker process: one request a line, one reply a line, fields between tabs.
#
#   embed  FILE BATCH        the next runs embed the texts of FILE (one a line); a peer takes BATCH of them at a time
#   layer  FOLDER B T D H    the next runs send x [B, T, D] through the attention layer; FOLDER holds qkv [3 D, D],
#                            out [D, D], bias [D] and x as raw float32 (workloads.py writes them).
#                            Headway's worker answers with the bytes of working memory that it plans
#   run    N                 N passes; answers with the seconds of each
#   save   FILE              the numbers of the last pass, raw float32
#
# A reply starts with "ok"; "error" and a message follow a request that failed, after which the worker goes on.


class Refused(Exception):
    """The worker cannot do what it was asked."""


def request(*fields):
    texts = [str(field) for field in fields]
    if any("\t" in text or "\n" in text for text in texts):
        raise ValueError(f"a field of a request holds a tab or a line end: {texts}")
    return "\t".join(texts) + "\n"


def fields(line):
    """The fields of a line without its end."""
    return line.rstrip("\n").split("\t")


def reply(line):
    """The fields after "ok"; Refused with the worker's message after "error", ValueError for anything else."""
    status, *rest = fields(line)
    if status == "ok":
        return rest
    if status == "error":
        raise Refused(" ".join(rest))
    raise ValueError(f"expected ok or error from a worker, found {line!r}")
