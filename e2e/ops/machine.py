"""A clean Debian machine: a container that systemd-nspawn boots, with its own processes and network, and no way out.

The environment names the root that it is a copy of. The kernel and its clock are those of the machine of the tests.
"""

import json
import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

BASE = Path(os.environ["OPS_BASE"])
# Beside the root that they copy, so that both are on the same disk.
MACHINES = BASE.parent / "machines"
# Seconds until a condition must hold. The probes of the portal take up to 45 seconds.
DEADLINE = 120
POLL_INTERVAL = 0.2
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Machine:
    """Runs until the end of the `with` block, which removes its root."""

    def __init__(self, name: str):
        self.name = f"portaria-{name}-{os.getpid()}"
        self.folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=MACHINES))
        self.root = self.folder / "root"
        self.container: subprocess.Popen | None = None

    def __enter__(self) -> "Machine":
        try:
            subprocess.run(["cp", "--archive", "--reflink=auto", BASE, self.root], check=True)
            self.boot()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.shut_down()
        shutil.rmtree(self.folder)

    def shut_down(self):
        if self.container:
            self.container.terminate()
            self.container.wait(DEADLINE)

    def reboot(self):
        self.shut_down()
        self.boot()

    def boot(self):
        # Neither needs the systemd of the machine of the tests, which may have another one or none.
        alone = ["--register=no", "--keep-unit", "--private-network", "--console=pipe"]
        command = ["systemd-nspawn", "--quiet", "--boot", f"--directory={self.root}", f"--machine={self.name}", *alone]
        with (self.folder / "console").open("w") as console:
            self.container = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=console, stderr=console)
        children = Path(f"/proc/{self.container.pid}/task/{self.container.pid}/children")

        def state() -> str:
            # The last child is the first process of the machine. Before it, one that prepares the machine ends.
            self.init = children.read_text().split(" ")[0]
            return self.status("systemctl is-system-running")[1] if self.init else ""

        wait_for("the machine has started", lambda: state().strip() in ("running", "degraded"), state)

    def run(self, command: str, stdin: str = "", check: bool = True) -> str:
        """Runs a command of the shell as root and returns what it printed, errors included."""
        status, output = self.status(command, stdin)
        if check and status != 0:
            raise AssertionError(f"`{command}` ended with exit code {status}:\n{output}")
        return output

    def status(self, command: str, stdin: str = "") -> tuple[int, str]:
        """The exit code of a command, and what it printed."""
        enter = ["nsenter", "--target", self.init, "--all", "env", "--ignore-environment", PATH, "HOME=/root"]
        # `-e`: a block of the manual ends with the first command that fails.
        shell = ["LANG=C.UTF-8", "sh", "-e", "-c", f"cd /root\n{command}"]
        ended = subprocess.run(
            [*enter, *shell], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        return ended.returncode, ended.stdout

    def write(self, path: str, text: str, mode: str = "644"):
        self.run(f"install -D -m {mode} /dev/stdin {shlex.quote(path)}", stdin=text)

    def copy_in(self, source: Path, folder: str):
        shutil.copy(source, self.root / folder.lstrip("/"))

    def set(self, *lines: str):
        """Adds settings of the portal, without a restart. The last line of a setting is in force."""
        self.run("cat >> /etc/portaria.env", stdin="".join(f"{line}\n" for line in lines))

    def clear_settings(self):
        self.run("truncate --size 0 /etc/portaria.env")

    def extend_unit(self, name: str, text: str):
        """Does what `systemctl edit portaria` does, which needs an editor."""
        self.write(f"/etc/systemd/system/portaria.service.d/{name}.conf", text)
        self.run("systemctl daemon-reload")

    def unit(self) -> dict[str, str]:
        names = "ActiveState,SubState,MainPID,ExecMainStatus,NRestarts,Result"
        lines = self.run(f"systemctl show portaria --property {names}").splitlines()
        return dict(line.split("=", 1) for line in lines)

    def journal(self) -> str:
        """The log of the portal since it was last cleared."""
        return self.run("journalctl --unit portaria --output cat --no-pager")

    def clear_journal(self):
        self.run("journalctl --quiet --rotate --vacuum-time=1s")

    def metrics(self) -> dict[str, float]:
        """The metrics without labels. Empty if the portal does not answer."""
        status, page = self.status("curl --silent --fail http://127.0.0.1:9464/metrics")
        samples = [line.split(" ") for line in page.splitlines() if status == 0 and "{" not in line and line[0] != "#"]
        return {name: float(value) for name, value in samples}

    def findings(self, clock: str = "+0") -> dict[str, dict[str, str]]:
        """What `portaria doctor` finds, by the titles of its lines. `clock` moves its clock, such as `+2d`."""
        _, text = self.status(f"faketime -f {clock} portaria doctor --json 2>/dev/null")
        return {finding["title"]: finding for finding in json.loads(text)["checks"]}


def wait_for(what: str, condition: Callable[[], object], detail: Callable[[], str] = str):
    deadline = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {DEADLINE} seconds: {what}\n{detail()}")
        time.sleep(POLL_INTERVAL)


def report(line: str):
    """Prints a line of the report at once, as the tests take minutes."""
    print(f"  {line}", flush=True)
