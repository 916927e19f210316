"""An office on a machine: the calls of its administrator and of a client, with curl, as docs/protocol describes them."""

import json
import re
from functools import cached_property
from urllib.parse import quote
from uuid import uuid4

from machine import Machine

ADMIN = {"email": "helena.duarte@escritorio.com.br", "password": "uma senha da Helena"}
CLIENT = {"email": "joao@cliente.com.br", "password": "uma senha do João"}
PDF = "%PDF-1.7\n%%EOF\n"


class Office:
    def __init__(self, machine: Machine, url: str = "http://127.0.0.1:8080"):
        self.machine = machine
        self.url = url

    @cached_property
    def keys(self) -> dict[str, str]:
        return json.loads(self.machine.run("portaria keys 2>/dev/null"))

    def request(self, method: str, path: str, body: object = None, token: str = "", form: str = "") -> tuple[int, str]:
        """The status and the body of an answer. `form` is the content of a PDF file to send instead of a body."""
        headers = {"apikey": self.keys["anon_key"]}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None:
            headers |= {"Content-Type": "application/json", "Prefer": "return=representation"}
        if form:
            headers["Content-Type"] = "application/pdf"
        given = "".join(f" --header '{name}: {value}'" for name, value in headers.items())
        # The certificates of these tests have no authority.
        command = f"curl --silent --show-error --insecure --max-time 60 --request {method}{given}"
        command += " --data-binary @-" if body is not None or form else ""
        status, output = self.machine.status(
            f"{command} --write-out '\\n%{{http_code}}' '{self.url}{path}'", stdin=form or json.dumps(body)
        )
        if status != 0:
            return 0, output
        text, _, code = output.rpartition("\n")
        return int(code), text

    def call(self, method: str, path: str, body: object = None, token: str = "", form: str = ""):
        """The answer to a request that must succeed."""
        status, text = self.request(method, path, body, token, form)
        if status not in (200, 201, 204):
            raise AssertionError(f"{method} {path}: {status}\n{text}")
        try:
            return json.loads(text)
        except ValueError:
            return text

    def set_up(self):
        """Creates the first administrator with the link that the log shows."""
        token = re.search(r"/primeiro-acesso#token=(\S+)", self.machine.journal())
        if not token:
            raise AssertionError(f"the log has no set-up link:\n{self.machine.journal()}")
        self.call("POST", "/setup", {"token": token[1], "full_name": "Helena Duarte", **ADMIN})

    def sign_in(self, person: dict[str, str]) -> str:
        return self.call("POST", "/auth/v1/token?grant_type=password", person)["access_token"]

    def create_client(self) -> str:
        """Creates the client, with the service key, and returns the id."""
        attributes = {**CLIENT, "email_confirm": True, "user_metadata": {"full_name": "João"}}
        return self.call("POST", "/auth/v1/admin/users", attributes, self.keys["service_role_key"])["id"]

    def publish(self, client: str, name: str) -> str:
        """Publishes a document for a client as the administrator. Returns the path of its file."""
        office = self.sign_in(ADMIN)
        folder = self.folder("Faturas", office)
        path = f"public/{client}/{folder}/{name}.pdf"
        self.call("POST", f"/storage/v1/object/client-documents/{quote(path)}", token=office, form=PDF)
        row = {"name": name, "type": "pdf", "file_url": path, "folder_id_supabase": folder}
        self.call("POST", "/rest/v1/documents", row, office)
        return path

    def folder(self, name: str, office: str) -> str:
        """The id of one of the folders that a new office has."""
        found = self.call("GET", f"/rest/v1/folders?select=id_supabase&name=eq.{name}", token=office)
        return found[0]["id_supabase"]

    def documents(self) -> list[str]:
        """Downloads all documents of the client, as the client. Returns their names."""
        client = self.sign_in(CLIENT)
        rows = self.call("GET", "/rest/v1/documents?select=name,file_url&order=name", token=client)
        for row in rows:
            file = quote(row["file_url"])
            content = self.call("GET", f"/storage/v1/object/authenticated/client-documents/{file}", token=client)
            if content != PDF:
                raise AssertionError(f"{row['name']} has another content:\n{content}")
        return [row["name"] for row in rows]

    def write_something(self) -> int:
        """The status of the answer to a small write: a new folder."""
        row = {"name": f"Pasta {uuid4()}", "id_supabase": str(uuid4())}
        return self.request("POST", "/rest/v1/folders", row, self.keys["service_role_key"])[0]
