"""The container image and the compose file: names and addresses that must agree."""

import ipaddress
import re
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
COMPOSE = ROOT / "packaging/compose"
SECRETS = ["packaging/compose/.env", "packaging/compose/tls", "packaging/kubernetes/secrets.env"]


def lines(path):
    return (ROOT / path).read_text().splitlines()


def copied_sources():
    """Returns the sources of each COPY from the build context, with the name of its stage."""
    stage, sources = "", []
    for line in lines("packaging/Dockerfile"):
        words = line.split()
        if words[:1] == ["FROM"]:
            stage = words[-1]
        if words[:1] == ["COPY"] and not words[1].startswith("--from"):
            sources += [(stage, source) for source in words[1:-1]]
    return sources


def files_outside_the_web_app():
    """Returns the paths outside of `web` that files of the web app name, relative to the repository."""
    imports = re.compile(r"from '((?:\.\./)+[\w./-]+)\?raw'")
    joins = re.compile(r"path\.join\(import\.meta\.dirname, ((?:'[\w.]+'(?:, )?)+)\)")
    found = set()
    for file in [*(ROOT / "web/src").rglob("*.ts*"), *(ROOT / "web/scripts").rglob("*.ts")]:
        text = file.read_text()
        if not file.name.endswith((".test.ts", ".test.tsx")):
            paths = imports.findall(text) + [re.sub("', '|'", "/", path).strip("/") for path in joins.findall(text)]
            resolved = [(file.parent / path).resolve() for path in paths]
            found |= {path for path in resolved if not path.is_relative_to(ROOT / "web")}
    return {str(path.relative_to(ROOT)) for path in found}


class Image(unittest.TestCase):
    def test_copied_sources_exist(self):
        sources = copied_sources()
        self.assertGreater(len(sources), 10)
        for _, source in sources:
            self.assertTrue((ROOT / source).exists(), source)

    def test_web_build_has_its_files_outside_of_the_web_app(self):
        needed = files_outside_the_web_app()
        self.assertGreater(len(needed), 1)
        self.assertLessEqual(needed, {source for stage, source in copied_sources() if stage == "web"})

    def test_secrets_stay_out_of_the_repository_and_of_the_build_context(self):
        ignored = {line.strip("/") for line in lines(".gitignore")}
        unsent = set(lines(".dockerignore"))
        for secret in SECRETS:
            self.assertIn(secret, ignored)
            self.assertIn(secret, unsent)


class Compose(unittest.TestCase):
    def setUp(self):
        self.text = (COMPOSE / "compose.yaml").read_text()
        self.compose = yaml.safe_load(self.text)
        self.services = self.compose["services"]

    def test_example_has_each_required_variable(self):
        example = dict(line.split("=", 1) for line in lines(COMPOSE / "env.example") if not line.startswith("#"))
        self.assertLessEqual(set(re.findall(r"\$\{(\w+):\?\}", self.text)), set(example))
        self.assertLessEqual(set(example), set(re.findall(r"\$\{(\w+)", self.text)))

    def test_proxy_knows_the_addresses_of_the_nodes(self):
        nodes = [service for service in self.services.values() if service["image"] == "portaria"]
        addresses = [node["networks"]["default"]["ipv4_address"] for node in nodes]
        upstream = re.findall(r"^    server ([\d.]+):8080 ", (COMPOSE / "nginx.conf").read_text(), re.MULTILINE)
        self.assertEqual(upstream, addresses)
        [network] = self.compose["networks"]["default"]["ipam"]["config"]
        for address in map(ipaddress.ip_address, addresses):
            self.assertIn(address, ipaddress.ip_network(network["subnet"]))
            self.assertNotIn(address, ipaddress.ip_network(network["ip_range"]))
        trusted = nodes[0]["environment"]["PORTARIA_TRUSTED_PROXIES"]
        self.assertEqual(trusted, network["subnet"])

    def test_one_node_builds_the_image_and_no_registry_is_asked_for_it(self):
        self.assertIn("build", self.services["node1"])
        self.assertEqual(self.services["node2"]["pull_policy"], "never")

    def test_mounted_files_exist(self):
        volumes = [volume for service in self.services.values() for volume in service.get("volumes", [])]
        files = [COMPOSE / volume.split(":")[0] for volume in volumes if volume.startswith(".")]
        self.assertGreater(len(files), 3)
        for file in files:
            self.assertTrue(file.exists() or file == COMPOSE / "tls", file)


if __name__ == "__main__":
    unittest.main()
