"""The alerts of packaging/prometheus/rules.yml, evaluated by Prometheus's own promtool."""

import json
import subprocess
import tempfile
from pathlib import Path

RULES = Path(__file__).parents[2] / "packaging/prometheus/rules.yml"
# Growth of a metric per minute if the fault lasts: the age of what waits. It is 0 if nothing waits.
GROWTH = {"portaria_mail_oldest_seconds": 60}


def fires(alert: str, metrics: dict[str, float]) -> bool:
    """Whether an alert fires if these metrics stay as they are for three hours."""
    series = []
    for name, value in metrics.items():
        growth = GROWTH.get(name, 0) if value else 0
        labels = '{job="portaria"}' if name == "up" else ""
        series.append({"series": f"{name}{labels}", "values": f"{value:.0f}+{growth}x180"})
    expression = f'count(ALERTS{{alertname="{alert}", alertstate="firing"}})'
    expected = {"expr": expression, "eval_time": "3h", "exp_samples": [{"labels": "{}", "value": 1}]}
    test = {"interval": "1m", "input_series": series, "promql_expr_test": [expected]}
    # JSON is YAML.
    rules = {"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": [test]}
    status, output = promtool(["test", "rules"], json.dumps(rules))
    if status != 0 and "got:" not in output:
        raise AssertionError(f"promtool cannot evaluate {alert}:\n{output}")
    return status == 0


def check_configuration(text: str):
    """Checks a prometheus.yml, without the files that it names."""
    status, output = promtool(["check", "config", "--syntax-only"], text)
    if status != 0:
        raise AssertionError(output)


def promtool(command: list[str], text: str) -> tuple[int, str]:
    """The exit code and the output of a command about a file."""
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        file.write(text)
        file.flush()
        ended = subprocess.run(["promtool", *command, file.name], capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr
