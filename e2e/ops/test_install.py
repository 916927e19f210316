"""The package, from a clean machine to the first document, an upgrade, and the removal."""

import os
import time
import unittest
from pathlib import Path

from machine import Machine, report, wait_for
from office import Office

PACKAGE, NEXT_PACKAGE = (Path(os.environ[name]) for name in ("OPS_PACKAGE", "OPS_NEXT_PACKAGE"))


class Install(unittest.TestCase):
    def test_package_serves_a_first_document_and_survives_upgrade_and_removal(self):
        with Machine("install") as machine:
            self.machine, self.office = machine, Office(machine)
            self.check_first_document()
            self.check_hardening()
            self.check_upgrade()
            self.check_reboot()
            self.check_removal()

    def check_first_document(self):
        self.machine.copy_in(PACKAGE, "/root")
        start = time.monotonic()
        self.machine.run(f"apt-get install --yes ./{PACKAGE.name}")
        self.assertEqual(self.machine.unit()["ActiveState"], "active")
        installed = time.monotonic()
        self.office.set_up()
        self.client = self.office.create_client()
        self.office.publish(self.client, "Conta de luz")
        self.assertEqual(self.office.documents(), ["Conta de luz"])
        end = time.monotonic()
        report(f"package installed and service started: {installed - start:.1f} s")
        report(f"from the package to the first document that a client downloaded: {end - start:.1f} s")

    def check_hardening(self):
        """The service runs as its own user, without privileges, and reaches only its data folder."""
        process = self.machine.unit()["MainPID"]
        status = dict(line.split(":\t", 1) for line in self.machine.run(f"cat /proc/{process}/status").splitlines())
        user = self.machine.run("id --user portaria").strip()
        self.assertEqual(status["Uid"].split(), [user] * 4)
        expected = {"NoNewPrivs": "1", "Seccomp": "2", "CapEff": "0" * 16, "CapBnd": "0" * 16}
        self.assertEqual({name: status[name] for name in expected}, expected)
        mounts = [line.split(" ") for line in self.machine.run(f"cat /proc/{process}/mounts").splitlines()]
        options = {mount[1]: mount[3].split(",") for mount in mounts}
        self.assertIn("ro", options["/"])
        self.assertIn("rw", options["/var/lib/portaria"])
        self.assertEqual(self.machine.run("stat --format '%a %U:%G' /var/lib/portaria").strip(), "700 portaria:portaria")
        self.assertEqual(self.machine.run("stat --format '%a %U:%G' /etc/portaria.env").strip(), "640 root:portaria")

    def check_upgrade(self):
        """Data and changed settings are kept, and the new program serves."""
        self.machine.set("PORTARIA_PRODUCT_NAME=Escritório Prado")
        before = self.machine.unit()["MainPID"]
        self.machine.copy_in(NEXT_PACKAGE, "/root")
        start = time.monotonic()
        self.machine.run(f"apt-get install --yes ./{NEXT_PACKAGE.name} </dev/null")
        wait_for("the portal serves again", lambda: self.machine.unit()["ActiveState"] == "active")
        report(f"upgrade: {time.monotonic() - start:.1f} s")
        self.assertNotEqual(self.machine.unit()["MainPID"], before)
        self.assertIn("Escritório Prado", self.machine.run("portaria config"))
        self.assertEqual(self.office.documents(), ["Conta de luz"])
        self.office.publish(self.client, "Conta de água")

    def check_reboot(self):
        """The service starts with the machine."""
        self.machine.reboot()
        wait_for("the portal serves", lambda: self.machine.unit()["ActiveState"] == "active")
        self.assertEqual(self.office.documents(), ["Conta de luz", "Conta de água"])

    def check_removal(self):
        """Neither removal nor purge deletes the data folder; the next installation serves it again."""
        self.machine.run("apt-get remove --yes portaria")
        self.assertNotEqual(self.machine.status("systemctl is-active portaria")[0], 0)
        self.machine.run("test ! -e /usr/bin/portaria && test -e /etc/portaria.env && test -e /var/lib/portaria/portaria.db")
        self.machine.run("apt-get purge --yes portaria")
        self.machine.run("test ! -e /etc/portaria.env && test -e /var/lib/portaria/portaria.db")
        self.machine.run(f"apt-get install --yes ./{NEXT_PACKAGE.name}")
        self.assertEqual(self.office.documents(), ["Conta de luz", "Conta de água"])
        report("removal and purge keep the data folder")
