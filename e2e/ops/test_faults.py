"""The faults of the operator's manual, "Quando algo falha": each is provoked, and the manual's tables say what it leaves.

Log, exit code, metric, alert and line of `portaria doctor` are read from the manual and compared with the program.
"""

import re
import unittest
from collections.abc import Callable

import alerts
import manual
from machine import Machine, report, wait_for
from office import CLIENT, Office
from test_manual import PACKAGE, NotRun

DATA = "/var/lib/portaria"
BACKUPS = "/mnt/backup"
POSTGRES = "PORTARIA_DATABASE_URL=postgres://portaria:{}@localhost/portaria"
# The cluster, because the unit `postgresql` returns before it has stopped.
POSTGRES_UNIT = "postgresql@$(ls /etc/postgresql)-main"
NOTHING_LISTENS = "127.0.0.1:9"

# The first cell of each row of "O que cada falha deixa ver", and the name of the test that provokes the fault.
FAULTS = {
    "uma opção errada ou desconhecida": "set_unknown_option",
    "usuário ou senha do banco errados, ou o banco fora do ar no início": "give_wrong_password",
    "endereço ou pasta de dados em uso por outro programa": "occupy_address_and_folder",
    "banco danificado": "damage_database",
    "o disco não confirma uma gravação": "fail_sync",
    "o banco fora do ar no meio do dia": "stop_database",
    "o armazenamento dos arquivos fora do ar, ou a chave dele errada": "lose_storage",
    "o disco cheio": "fill_disk",
    "o servidor de e-mail não atende ou recusa a senha": "lose_mail_server",
    "o backup falha, ou o portal não estava no ar à hora dele": "fail_backup",
    "o backup não se deixa restaurar": "damage_backup",
    "o certificado do portal vence": "let_certificate_expire",
}

IN_OTHER_TESTS = NotRun("crates/portaria/tests/it/process/system_status.rs provokes it")

# The first cell of each row of the table of `portaria doctor`, and the name of the test that shows it.
EXAMINATIONS = {
    "o servidor de e-mail não aceita a conexão ou a senha": "lose_mail_server",
    "o servidor de e-mail não responde": IN_OTHER_TESTS,
    "e-mails parados há mais de uma hora, ou não entregues": "stay_off",
    "o bucket recusa a chave, ou o disco não deixa gravar": "lose_storage",
    "o armazenamento não responde": IN_OTHER_TESTS,
    "o disco está quase cheio": "fill_disk",
    "arquivos da pasta de dados de outro usuário": "change_owner",
    "o relógio está errado": "advance_clock",
    "o certificado vence em menos de 21 dias": "let_certificate_expire",
    "o backup falhou ou não foi feito": "fail_backup",
    "o destino do backup não pode ser gravado": "fail_backup",
    "o ensaio não restaurou tudo": "damage_backup",
    "uma tarefa diária atrasou mais de uma hora": "stay_off",
}


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.machine = cls.enterClassContext(Machine("faults"))
        cls.machine.copy_in(PACKAGE, "/root")
        cls.machine.run(f"apt-get install --yes ./{PACKAGE.name}")
        cls.machine.run("systemctl stop portaria")
        # A disk of its own, whose size can change.
        cls.machine.run(f"mount -t tmpfs -o size=4G,mode=700,uid=portaria,gid=portaria data {DATA}")
        cls.machine.run(f"systemctl start {POSTGRES_UNIT}")
        cls.machine.run("""runuser -u postgres -- psql -qc "CREATE ROLE portaria LOGIN PASSWORD 'senha'" """)
        cls.faults = {row[0]: row[1:] for row in manual.table("O que cada falha deixa ver")}
        cls.examinations = {row[0]: row[1:] for row in manual.table("Quando algo falha")}

    def setUp(self):
        self.new_office()
        self.healthy = self.machine.metrics()

    def new_office(self, *settings: str):
        """Replaces the office by an empty one with these settings."""
        machine = self.machine
        machine.run("systemctl stop portaria; rm -rf /etc/systemd/system/portaria.service.d && systemctl daemon-reload")
        machine.run(f"find {DATA} -mindepth 1 -delete; rm -rf {BACKUPS}")
        self.machine.clear_settings()
        machine.set("PORTARIA_METRICS_LISTEN=127.0.0.1:9464", *settings)
        machine.clear_journal()
        machine.run("systemctl start portaria")
        self.office = Office(machine)

    def restart(self) -> int:
        """Restarts the portal and returns the exit code of systemctl."""
        self.machine.clear_journal()
        return self.machine.status("systemctl restart portaria")[0]

    def shows(self, phrase: str) -> Callable[[], bool]:
        return lambda: phrase in self.machine.journal()

    def test_each_fault_is_provoked(self):
        self.assertEqual(list(FAULTS), list(self.faults))
        self.assertEqual(list(EXAMINATIONS), list(self.examinations))
        for step in [*FAULTS.values(), *EXAMINATIONS.values()]:
            self.assertTrue(isinstance(step, NotRun) or hasattr(self, f"test_{step}"), step)

    # Faults that stop the service.

    def check_stop(self, fault: str, phrase: str = ""):
        """The service ended with the code of the row, after a line with its phrase, and its alert fires."""
        log, code, _, alert = self.faults[fault]
        phrase = phrase or log.strip("`")
        wait_for(f"the log shows {phrase}", self.shows(phrase), self.machine.journal)
        wait_for(f"the code is {code}", self.shows(f"status={code}/"), self.machine.journal)
        self.check_alert(alert, {"up": 0.0})
        report(f"{fault}: exit code {code}, «{phrase}», {alert}")

    def check_alert(self, alert: str, metrics: dict[str, float]):
        """The alert of a row fires at these metrics, and not at those of the portal before the fault."""
        [name] = re.findall("`(.+?)`", alert)
        self.assertFalse(alerts.fires(name, {"up": 1.0, **self.healthy}), self.healthy)
        self.assertTrue(alerts.fires(name, {"up": 1.0, **metrics}), metrics)

    def test_set_unknown_option(self):
        self.machine.set("PORTARIA_LISTNE=127.0.0.1:8081")
        self.assertNotEqual(self.restart(), 0)
        fault = "uma opção errada ou desconhecida"
        self.check_stop(fault, "PORTARIA_LISTNE")
        line = self.machine.run("grep --line-number LISTNE /etc/portaria.env").split(":")[0]
        self.assertRegex(self.machine.journal(), rf"line {line}\b")
        # The unit does not try again.
        self.assertEqual(self.machine.unit()["SubState"], "failed")

    def test_give_wrong_password(self):
        fault = "usuário ou senha do banco errados, ou o banco fora do ar no início"
        self.machine.set(POSTGRES.format("errada"))
        self.assertNotEqual(self.restart(), 0)
        self.check_stop(fault)
        self.assertNotIn("errada", self.machine.journal())
        self.machine.run(f"systemctl stop {POSTGRES_UNIT}")
        self.machine.set(POSTGRES.format("senha"))
        self.machine.clear_journal()
        self.check_stop(fault)
        self.machine.run(f"systemctl start {POSTGRES_UNIT}")

    def test_occupy_address_and_folder(self):
        fault = "endereço ou pasta de dados em uso por outro programa"
        in_use, serves = re.findall("`(.+?)`", self.faults[fault][0])
        self.machine.set("PORTARIA_LISTEN=127.0.0.1:5432")
        self.assertNotEqual(self.restart(), 0)
        self.check_stop(fault, in_use)
        self.machine.run("systemctl stop portaria")
        other = "--setenv PORTARIA_LISTEN=127.0.0.1:8082 --setenv PORTARIA_METRICS_LISTEN="
        self.machine.run(f"systemd-run --quiet --unit other --service-type notify {other} portaria serve")
        self.addCleanup(self.machine.run, "systemctl stop other")
        self.assertNotEqual(self.restart(), 0)
        self.check_stop(fault, serves)

    def test_damage_database(self):
        self.machine.run("systemctl stop portaria")
        self.machine.run(f"dd if=/dev/urandom of={DATA}/portaria.db bs=4096 seek=1 count=40 conv=notrunc status=none")
        self.assertNotEqual(self.restart(), 0)
        self.check_stop("banco danificado")
        self.assertEqual(self.machine.unit()["SubState"], "failed")
        self.assertEqual(self.machine.status("portaria fsck")[0], 4)

    def test_fail_sync(self):
        # strace replaces the system call by one that the unit's filter answers with a signal.
        self.machine.extend_unit("strace", "[Service]\nSystemCallFilter=\n")
        self.assertEqual(self.restart(), 0)
        self.assertEqual(self.office.write_something(), 201)
        process = self.machine.unit()["MainPID"]
        [writer] = self.machine.run(f"grep --files-with-matches db-write /proc/{process}/task/*/comm").split()
        thread = writer.split("/")[4]
        # It ends with the program.
        strace = f"strace -q -o /dev/null -e trace=fsync -e inject=fsync:error=EIO -p {thread}"
        self.machine.run(f"{strace} </dev/null >/dev/null 2>&1 &")
        tracer = f"grep -q '^TracerPid:\t[1-9]' /proc/{thread}/status"
        wait_for("the disk fails", lambda: self.machine.status(tracer)[0] == 0)
        # The program may end before it answers; it never confirms.
        self.assertIn(self.office.write_something(), (0, 503))
        self.check_stop("o disco não confirma uma gravação")
        wait_for("systemd starts it again", lambda: self.office.write_something() == 201)

    # Faults that the service survives.

    def check_running(self, fault: str, is_there: Callable[[dict[str, float]], bool], *examinations: str):
        """The log has the phrases of the row, the service runs, the metrics show the fault, and the alert fires.

        `examinations` are the rows of the table of `portaria doctor` that show it."""
        log, code, metrics, alert = self.faults[fault]
        for phrase in re.findall("`(.+?)`", log):
            wait_for(f"the log shows {phrase}", self.shows(phrase), self.machine.journal)
        wait_for("the metrics show the fault", lambda: is_there(self.machine.metrics()))
        found = self.machine.metrics()
        names = re.findall("`(.+?)`", metrics)
        self.assertLessEqual(set(names), set(found))
        if alert:
            self.check_alert(alert, found)
        self.assertEqual(code, "")
        self.assertEqual(self.machine.unit()["NRestarts"], "0")
        for row in examinations:
            self.check_examination(row)
        shown = ", ".join(f"{name} {found[name]:g}" for name in names)
        report(f"{fault}: {log}, {shown}, {alert}")

    def check_examination(self, row: str, status: str = "error", clock: str = "+0"):
        """The lines of `portaria doctor` that a row names have this status and, as a fault, the text of the row."""
        titles, says = self.examinations[row]
        findings = self.machine.findings(clock)
        for title in re.split(", | ou ", titles):
            finding = findings[title]
            self.assertEqual(finding["status"], status, finding)
            if status == "ok":
                continue
            for text in re.findall('"(.+?)"', says):
                for part in re.split(r"\(?…\)?", text):
                    self.assertIn(part.strip(" ."), finding["message"])
            report(f"{row}: {title}: {finding['message']}")

    def test_stop_database(self):
        runuser = "runuser -u postgres -- psql -qc"
        self.machine.run(f"{runuser} 'CREATE DATABASE portaria OWNER portaria'")
        self.new_office(POSTGRES.format("senha"))
        self.assertEqual(self.office.write_something(), 201)
        self.machine.run(f"systemctl stop {POSTGRES_UNIT}")
        self.addCleanup(self.machine.run, f"systemctl start {POSTGRES_UNIT}")
        self.assertEqual(self.office.write_something(), 503)
        fault = "o banco fora do ar no meio do dia"
        self.check_running(fault, lambda found: found.get("portaria_database_up") == 0)

    def test_lose_storage(self):
        self.machine.set(f"PORTARIA_STORAGE_URL=s3://chave:segredo@bucket?endpoint=http://{NOTHING_LISTENS}&region=x")
        self.assertEqual(self.restart(), 0)
        fault = "o armazenamento dos arquivos fora do ar, ou a chave dele errada"
        examination = "o bucket recusa a chave, ou o disco não deixa gravar"
        self.check_running(fault, lambda found: found.get("portaria_storage_up") == 0, examination)
        self.assertEqual(self.office.request("GET", "/ready")[0], 503)
        self.assertEqual(self.office.request("GET", "/health")[0], 200)

    def test_fill_disk(self):
        client = self.office.create_client()
        used = int(self.machine.run(f"df --output=used --block-size=1 {DATA}").split()[1])
        self.machine.run(f"mount -o remount,size={used} {DATA}")
        self.addCleanup(self.machine.run, f"mount -o remount,size=4G {DATA}")
        self.assertEqual(self.office.write_something(), 503)
        is_full = lambda found: found["portaria_disk_free_bytes"] == 0  # noqa: E731
        self.check_running("o disco cheio", is_full, "o disco está quase cheio")
        self.machine.run(f"mount -o remount,size=4G {DATA}")
        self.assertEqual(self.office.write_something(), 201, client)

    def test_lose_mail_server(self):
        self.office.create_client()
        self.machine.set(f"PORTARIA_SMTP_URL=smtp://{NOTHING_LISTENS}", "PORTARIA_MAIL_FROM=portal@escritorio.com.br")
        self.assertEqual(self.restart(), 0)
        self.office.call("POST", "/auth/v1/recover", {"email": CLIENT["email"]})
        fault = "o servidor de e-mail não atende ou recusa a senha"
        examination = "o servidor de e-mail não aceita a conexão ou a senha"
        self.check_running(fault, lambda found: found["portaria_mail_oldest_seconds"] > 0, examination)

    def backup_in_a_minute(self) -> list[str]:
        """The settings of a nightly backup that is due within a minute."""
        at = self.machine.run("date --utc --date '+1 minute' +%H:%M").strip()
        return [f"PORTARIA_BACKUP_TO={BACKUPS}", "PORTARIA_TIME_ZONE=UTC", f"PORTARIA_BACKUP_AT={at}"]

    def test_fail_backup(self):
        # Owned by root.
        self.machine.run(f"install -d -m 700 {BACKUPS}")
        self.machine.set(*self.backup_in_a_minute())
        self.assertEqual(self.restart(), 0)
        fault = "o backup falha, ou o portal não estava no ar à hora dele"
        examinations = ["o backup falhou ou não foi feito", "o destino do backup não pode ser gravado"]
        self.check_running(fault, lambda found: found["portaria_backup_failed"] == 1, *examinations)

    def test_damage_backup(self):
        self.machine.extend_unit("backup", f"[Service]\nReadWritePaths=-{BACKUPS}\n")
        self.machine.run(f"install -d -m 700 -o portaria -g portaria {BACKUPS}")
        self.office.set_up()
        self.office.publish(self.office.create_client(), "Conta de luz")
        self.machine.run(f"portaria backup {BACKUPS}")
        pdf = f"grep --recursive --files-with-matches 'PDF-1.7' {BACKUPS}"
        self.machine.run(f"file=$({pdf}) && printf x | dd of=$file bs=1 seek=4 conv=notrunc status=none")
        # The file counts as copied, so the next backup does not copy it again.
        self.machine.set(*self.backup_in_a_minute())
        self.assertEqual(self.restart(), 0)
        fault = "o backup não se deixa restaurar"
        has_failed = lambda found: found["portaria_rehearsal_failed"] == 1  # noqa: E731
        self.check_running(fault, has_failed, "o ensaio não restaurou tudo")

    def create_certificate(self, days: int, age: int = 0):
        """Creates the certificate of the portal, as it would be after `age` days."""
        self.machine.run("install -d -o portaria -g portaria -m 700 /var/lib/portaria/tls")
        files = f"-keyout {DATA}/tls/key.pem -out {DATA}/tls/cert.pem"
        create = f"openssl req -x509 -newkey rsa:2048 -nodes -days {days} -subj /CN=localhost {files}"
        self.machine.run(f"faketime -f -{age}d {create} 2>&1 && chown portaria: {DATA}/tls/*")

    def test_let_certificate_expire(self):
        fault = "o certificado do portal vence"
        self.create_certificate(days=90)
        files = [f"PORTARIA_TLS_CERT={DATA}/tls/cert.pem", f"PORTARIA_TLS_KEY={DATA}/tls/key.pem"]
        self.machine.set(*files, "PORTARIA_SITE_URL=https://localhost:8080")
        self.assertEqual(self.restart(), 0)
        self.office = Office(self.machine, "https://127.0.0.1:8080")
        self.healthy = self.machine.metrics()
        examination = "o certificado vence em menos de 21 dias"
        self.check_examination(examination, "ok")
        self.create_certificate(days=10)
        self.check_examination(examination, "warning")
        self.machine.run(f"echo damaged > {DATA}/tls/cert.pem")

        def reload_fails() -> bool:
            # Each connection looks whether the files have changed.
            self.office.request("GET", "/health")
            return "certificate reload failed" in self.machine.journal()

        wait_for("the damaged certificate is refused", reload_fails)
        self.create_certificate(days=10, age=15)
        remaining = "portaria_certificate_remaining_seconds"
        self.check_running(fault, lambda found: found.get(remaining, 0) < 0, examination)

    def test_advance_clock(self):
        """The program runs with a clock three days ahead, and afterwards with the right one."""
        machine = self.machine
        library = machine.run("echo /usr/lib/*/faketime/libfaketimeMT.so.1").strip()
        clock = f"[Service]\nEnvironment=FAKETIME=+3d LD_PRELOAD={library} FAKETIME_DONT_FAKE_MONOTONIC=1\n"
        machine.extend_unit("clock", clock)
        self.assertEqual(self.restart(), 0)
        self.office.set_up()
        machine.run("rm /etc/systemd/system/portaria.service.d/clock.conf && systemctl daemon-reload")
        self.assertEqual(self.restart(), 0)
        self.check_examination("o relógio está errado")

    def test_stay_off(self):
        """The portal does not run for two days."""
        self.office.create_client()
        self.machine.set(f"PORTARIA_SMTP_URL=smtp://{NOTHING_LISTENS}", "PORTARIA_MAIL_FROM=portal@escritorio.com.br")
        self.office.call("POST", "/auth/v1/recover", {"email": CLIENT["email"]})
        self.machine.run("systemctl stop portaria")
        for row in ("e-mails parados há mais de uma hora, ou não entregues", "uma tarefa diária atrasou mais de uma hora"):
            self.check_examination(row, "ok")
            self.check_examination(row, "warning", clock="+2d")

    def test_change_owner(self):
        self.machine.run(f"touch {DATA}/portaria.db-copy")
        self.check_examination("arquivos da pasta de dados de outro usuário")
        advice = self.machine.findings()["Permissões"]["advice"]
        [command] = re.findall("`(.+?)`", advice)
        self.machine.run(command)
        self.check_examination("arquivos da pasta de dados de outro usuário", "ok")


if __name__ == "__main__":
    unittest.main()
