# A worker process: started with its threads held, asked through protocol.py, and waited for until it leaves the CPU.
import os
import pathlib
import subprocess
import time

import protocol


class Process:
    """Close it when done. Its standard error goes to `log`; `once` is how long its last pass took."""

    def __init__(self, command, environment, threads, log):
        # Every library has its own setting for threads; the affinity mask holds them all, tokenizers included.
        cores = sorted(os.sched_getaffinity(0))[:threads]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
            env=os.environ | {"OMP_NUM_THREADS": str(threads), "RAYON_NUM_THREADS": str(threads),
                              "MKL_NUM_THREADS": str(threads), "TOKENIZERS_PARALLELISM": "true",
                              # NumPy's, which only the harness around a peer uses.
                              "OPENBLAS_NUM_THREADS": "1", **environment},
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )

    def ask(self, *request):
        """The fields of the reply; protocol.Refused if the worker cannot."""
        try:
            self.process.stdin.write(protocol.request(*request))
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # the empty reply below says it
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the worker ended (exit code {self.process.wait()}) at {request[0]}")
        return protocol.reply(line)

    def run(self, passes):
        """Seconds of each pass, in order."""
        seconds = [float(second) for second in self.ask("run", passes)]
        self.once = seconds[-1]
        return seconds

    def cpu_seconds(self):
        """What its threads have spent so far."""
        spent = 0
        for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
            try:
                spent += int((task / "schedstat").read_text().split()[0])
            except OSError:  # the thread ended
                pass
        return spent * 1e-9

    def settle(self):
        """Waits until it leaves the CPU to the next: thread pools spin for a while after their work (Intel's OpenMP
        200 ms). They keep doing so, as a blocking pool would make single texts slower; only the others are not disturbed.
        """
        limit = time.monotonic() + 5
        while True:
            before = self.cpu_seconds()
            time.sleep(0.02)
            if self.cpu_seconds() - before < 0.0005:
                return
            if time.monotonic() > limit:
                raise RuntimeError("an idle worker keeps the CPU busy, so that nothing beside it can be measured")

    def peak_memory(self):
        """Bytes: the most that was resident, files mapped included."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
        raise RuntimeError("no VmHWM in the status of a process")

    def close(self):
        self.process.stdin.close()
        self.process.wait()
