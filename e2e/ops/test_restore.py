"""A restore on another machine, from a folder of backups, as the operator's manual describes it."""

import shutil
import time
import unittest

import manual
from machine import Machine, report
from office import ADMIN, Office
from test_manual import PACKAGE

BACKUPS = "/mnt/backup/portaria"


def install(machine: Machine):
    """Installs the package with the manual's settings for backups, as on both machines."""
    machine.copy_in(PACKAGE, "/root")
    machine.run(f"apt-get install --yes ./{PACKAGE.name}")
    machine.set(*manual.block("PORTARIA_BACKUP_TO=/mnt/backup/portaria").text.splitlines())


class Restore(unittest.TestCase):
    def test_office_is_restored_on_another_machine(self):
        with Machine("first") as first, Machine("second") as second:
            install(first)
            office = Office(first)
            office.set_up()
            office.publish(office.create_client(), "Conta de luz")
            first.run(f"install -d -m 700 -o portaria -g portaria {BACKUPS}")
            first.run("portaria backup")
            first.run("systemctl stop portaria")

            shutil.copytree(first.root / BACKUPS[1:], second.root / BACKUPS[1:])
            start = time.monotonic()
            install(second)
            second.run("chown -R portaria:portaria /mnt/backup")
            second.run(manual.block("systemctl stop portaria").text)
            restored = Office(second)
            self.assertEqual(restored.documents(), ["Conta de luz"])
            report(f"from the package to the restored document on another machine: {time.monotonic() - start:.1f} s")
            restored.sign_in(ADMIN)
            second.run("portaria fsck && portaria audit verify")
            self.assertNotIn("error", {finding["status"] for finding in second.findings().values()})


if __name__ == "__main__":
    unittest.main()
