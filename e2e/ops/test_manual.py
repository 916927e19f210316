"""Every code block of the operator's manual, in its order, as it is written."""

import os
import re
import unittest
from pathlib import Path

import manual
from alerts import check_configuration
from machine import Machine, report, wait_for
from manual import Block
from office import CLIENT, PDF, Office

PACKAGE = Path(os.environ["OPS_PACKAGE"])
CERTIFICATE = "/etc/letsencrypt/live/portal.escritorio.com.br"
HOST = "portal.escritorio.com.br"
HTTPS = f"curl --silent --show-error --fail --cacert {CERTIFICATE}/fullchain.pem --resolve {HOST}:443:127.0.0.1"
ENV = "/etc/portaria.env"
# curl's exit code.
CONNECTION_REFUSED = 7


class NotRun(str):
    """Why a block is not run here."""


# The first line of each block, and the method that runs it.
STEPS = {
    "apt install ./portaria_0.1.0-1_amd64.deb": "install_package",
    "install -m 755 portaria /usr/bin/portaria": "install_without_package",
    (
        "portaria: office in /var/lib/portaria, database SQLite, files in the folder, "
        "settings /etc/portaria.env, as user portaria"
    ): "compare_office_line",
    "PORTARIA_SITE_URL=https://portal.escritorio.com.br": "set_site",
    "portaria keys create      # publica uma chave nova": "change_signing_key",
    "cp /usr/share/doc/portaria/nginx.conf /etc/nginx/conf.d/portaria.conf": "serve_behind_nginx",
    "PORTARIA_LISTEN=0.0.0.0:443": "set_certificate",
    "[Service]": "permit_low_port",
    "#!/bin/sh": "renew_certificate",
    "PORTARIA_SMTP_URL=smtps://usuario:senha@smtp.provedor.com.br": "set",
    "PORTARIA_IMAP_URL=imaps://portal%40escritorio.com.br:senha@imap.provedor.com.br": "set",
    "PORTARIA_INBOX_DIR=/srv/scanner": "watch_scanner",
    "PORTARIA_BACKUP_TO=/mnt/backup/portaria": "back_up",
    "systemctl stop portaria": NotRun("test_restore runs it, on another machine"),
    "portaria import /srv/acervo --dry-run": "import_folders",
    "/srv/acervo/Padaria Sol 11.222.333-0001-81/Contratos/Aluguel.pdf": NotRun("the files of the block before"),
    "arquivo;cliente;pasta;nome;vencimento;competencia;valor": "import_list",
    "upstream portaria {": "balance",
    "portaria copy --from /root/antes.env --to /etc/portaria.env": "copy_to_postgres",
    "portaria doctor": "examine",
    "scrape_configs:": "check_prometheus",
}


class Manual(unittest.TestCase):
    def test_each_block_has_a_step(self):
        self.assertEqual([block.first_line for block in manual.blocks()], list(STEPS))

    def test_blocks_run_as_written(self):
        with Machine("manual") as machine:
            self.machine, self.office = machine, Office(machine)
            for block in manual.blocks():
                step = STEPS[block.first_line]
                outcome = f"not run: {step}" if isinstance(step, NotRun) else getattr(self, step)(block)
                report(f"docs/operacao.md:{block.line:<4} {block.heading}: {outcome or 'run'}")

    # Instalar

    def install_package(self, block: Block):
        self.machine.copy_in(PACKAGE, "/root")
        commands, journal = block.text.strip().split("\n")
        # The manual's apt asks a person.
        self.machine.run(f"{commands} --yes")
        self.assertIn("/primeiro-acesso#token=", self.machine.run(journal))
        self.office.set_up()
        self.client = self.office.create_client()
        self.office.publish(self.client, "Conta de luz")

    def install_without_package(self, block: Block):
        with Machine("program") as machine:
            machine.copy_in(PACKAGE, "/root")
            machine.run(f"dpkg-deb --extract {PACKAGE.name} package && mv package/usr/bin/portaria .")
            machine.run("mkdir -p packaging/debian")
            for name in ("portaria.service", "portaria.env"):
                machine.copy_in(manual.MANUAL.parents[1] / "packaging/debian" / name, "/root/packaging/debian")
            self.assertIn("/primeiro-acesso#token=", machine.run(block.text))
            Office(machine).set_up()
            # The text beside the block names two files that the package would contain.
            machine.run("mkdir -p /etc/bash_completion.d && portaria man /usr/local/share/man/man1")
            machine.run("portaria completions bash > /etc/bash_completion.d/portaria")

    # Rodar comandos

    def compare_office_line(self, block: Block):
        self.assertEqual(self.machine.run("portaria audit verify").splitlines()[0], block.text.strip())
        return "compared"

    # Configurar

    def set(self, block: Block):
        """Adds the settings of a block, which must be the ones in force."""
        self.machine.set(*block.text.splitlines())
        shown = self.machine.run("portaria config")
        for name in re.findall(r"^PORTARIA_(\w+)=", block.text, re.MULTILINE):
            self.assertRegex(shown, rf"(?m)^{name.lower()} = .*{ENV}")
        return "set, and shown by `portaria config`"

    def restart(self):
        self.machine.run("systemctl restart portaria")

    def set_site(self, block: Block):
        self.set(block)
        self.restart()
        self.assertIn(f"Portaria is at https://{HOST}", self.machine.journal())

    def change_signing_key(self, block: Block):
        create, rotate, list_keys = (line.split("#")[0].strip() for line in block.text.strip().split("\n"))
        token = self.office.sign_in(CLIENT)
        self.machine.run(create)
        status, text = self.machine.status(rotate)
        self.assertNotEqual(status, 0, text)
        self.machine.run(f"{rotate} --now")
        self.assertIn("active", self.machine.run(list_keys))
        self.assertEqual(self.office.request("GET", "/auth/v1/user", token=token)[0], 200)
        self.assertEqual(self.office.documents(), ["Conta de luz"])
        return "run; `rotate` is refused before ten minutes have passed, and `rotate --now` is not"

    # HTTPS

    def create_certificate(self):
        subject = f"-subj /CN={HOST} -addext subjectAltName=DNS:{HOST}"
        files = f"-keyout {CERTIFICATE}/privkey.pem -out {CERTIFICATE}/fullchain.pem"
        self.machine.run(f"mkdir -p {CERTIFICATE}")
        self.machine.run(f"openssl req -x509 -newkey rsa:2048 -nodes -days 90 {subject} {files} 2>&1")

    def serve_behind_nginx(self, block: Block):
        self.create_certificate()
        self.machine.run(block.text)
        # The reload returns before nginx listens.
        health = f"{HTTPS} https://{HOST}/health"
        wait_for("nginx listens", lambda: self.machine.status(health)[0] != CONNECTION_REFUSED)
        self.assertIn("ok", self.machine.run(health).lower())
        self.machine.run("systemctl stop portaria")
        # The page for people, while the portal is away.
        page = self.machine.run(f"{HTTPS.replace(' --fail', '')} https://{HOST}/")
        self.assertIn("<html", page)
        self.machine.run("systemctl start portaria && systemctl stop nginx")
        return "run, with a certificate of its own for the name of the example"

    def set_certificate(self, block: Block):
        return self.set(block)

    def permit_low_port(self, block: Block):
        self.machine.extend_unit("port", block.text)
        return "added to the unit"

    def renew_certificate(self, block: Block):
        hook = "/etc/letsencrypt/renewal-hooks/deploy/portaria"
        self.machine.write(hook, block.text, mode="755")
        self.machine.run(f"RENEWED_LINEAGE={CERTIFICATE} {hook}")
        self.restart()
        self.office.url = "https://127.0.0.1:443"
        self.machine.run(f"{HTTPS} https://{HOST}/health")
        first = self.served_certificate()
        self.create_certificate()
        self.machine.run(f"RENEWED_LINEAGE={CERTIFICATE} {hook}")
        wait_for("the renewed certificate is served", lambda: self.served_certificate() != first)
        return "run by hand, as certbot would; the portal serves port 443 and the renewed certificate"

    def served_certificate(self) -> str:
        # The portal looks for a new file at most once a second.
        fingerprint = "openssl x509 -noout -fingerprint"
        return self.machine.run(f"openssl s_client -connect 127.0.0.1:443 </dev/null 2>/dev/null | {fingerprint}")

    # Uma pasta para o scanner

    def watch_scanner(self, block: Block):
        self.set(block)
        self.machine.run("mkdir /srv/scanner && chown portaria /srv/scanner")
        self.machine.extend_unit("scanner", "[Service]\nReadWritePaths=/srv/scanner\n")
        self.restart()
        self.machine.write("/srv/scanner/fatura.pdf", PDF, mode="666")
        wait_for("the file is taken", lambda: self.machine.run("ls /srv/scanner").strip() == "")
        self.assertEqual(self.machine.run("ls /srv/scanner").strip(), "")
        return "run; the portal takes a file of the folder"

    # Backup

    def back_up(self, block: Block):
        self.set(block)
        self.machine.run("install -d -m 700 -o portaria -g portaria /mnt/backup/portaria")
        self.machine.extend_unit("backup", "[Service]\nReadWritePaths=/mnt/backup/portaria\n")
        self.restart()
        self.machine.run("portaria backup")
        self.machine.run("portaria restore --list && portaria restore --rehearse")
        return "set; `portaria backup` and `portaria restore --rehearse` run"

    # Trazer um acervo

    def import_folders(self, block: Block):
        service = self.office.keys["service_role_key"]
        company = {"full_name": "Padaria Sol", "tax_id": "11222333000181"}
        person = {"email": "sol@cliente.com.br", "email_confirm": True, "user_metadata": company}
        self.office.call("POST", "/auth/v1/admin/users", person, service)
        paths = manual.block(list(STEPS)[list(STEPS).index(block.first_line) + 1]).text.splitlines()
        for path in paths:
            self.machine.write(path, PDF)
        self.machine.run("chmod -R o+rX /srv/acervo")
        for command in block.text.splitlines():
            report_of_import = self.machine.run(command)
        self.assertNotIn("RECUSADO", report_of_import)
        self.assertIn("Conta de luz", self.office.documents())

    def import_list(self, block: Block):
        self.machine.write("/srv/acervo/lista.csv", block.text)
        for row in block.text.splitlines()[1:]:
            self.machine.write(f"/srv/acervo/{row.split(';')[0]}", PDF)
        printed = self.machine.run("portaria import /srv/acervo --csv /srv/acervo/lista.csv")
        self.assertNotIn("RECUSADO", printed)

    # Crescer

    def balance(self, block: Block):
        self.machine.write("/etc/nginx/conf.d/upstream.conf", block.text)
        in_location = "proxy_pass http://portaria; proxy_next_upstream error timeout http_503;"
        replace = f"s|proxy_pass http://127.0.0.1:8080;|{in_location}|"
        self.machine.run(f"sed -i '{replace}' /etc/nginx/conf.d/portaria.conf && nginx -t")
        return "accepted by `nginx -t`; the machines behind it do not exist"

    def copy_to_postgres(self, block: Block):
        self.machine.run("systemctl stop portaria && systemctl start postgresql")
        as_postgres = "runuser --user postgres -- psql --quiet --command"
        self.machine.run(f"""{as_postgres} "CREATE ROLE portaria LOGIN PASSWORD 'senha'" """)
        self.machine.run(f"""{as_postgres} 'CREATE DATABASE portaria OWNER portaria'""")
        self.machine.run(f"cp -p {ENV} /root/antes.env && echo PORTARIA_DATA_DIR=/var/lib/portaria >> /root/antes.env")
        self.machine.set(
            "PORTARIA_DATABASE_URL=postgres://portaria:senha@localhost/portaria", "PORTARIA_DATA_DIR=/var/lib/novo"
        )
        self.machine.run("install -d -m 700 -o portaria -g portaria /var/lib/novo")
        self.machine.run(block.text)
        self.machine.extend_unit("data", "[Service]\nReadWritePaths=/var/lib/novo\n")
        self.machine.run("systemctl start portaria")
        self.assertIn("Conta de luz", self.office.documents())

    # Conferir

    def examine(self, block: Block):
        plain, with_mail, as_json = block.text.splitlines()
        outcomes = []
        for command in (plain, with_mail, as_json):
            status, printed = self.machine.status(command)
            outcomes.append(f"`{command}` {status}")
            self.assertIn(status, (0, 1), printed)
        found = self.machine.findings()
        # The examples name servers of a provider that does not exist.
        faults = {title for title, finding in found.items() if finding["status"] == "error"}
        self.assertEqual(faults, {"Servidor de e-mail", "Caixa postal"}, found)
        return "run; exit codes: " + ", ".join(outcomes)

    # Log e métricas

    def check_prometheus(self, block: Block):
        self.machine.run("test -s /usr/share/doc/portaria/prometheus-rules.yml")
        check_configuration(block.text)
        return "accepted by promtool; no Prometheus runs on the machine"


if __name__ == "__main__":
    unittest.main()
