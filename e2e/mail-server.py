"""A mail server (aiosmtpd) for the tests: prints its port, then each mail that it takes, as lines of JSON.

The messages are read by Python's own parser, which knows nothing of how the portal writes them.
"""

import asyncio
import base64
import email
import email.policy
import json
import logging
import sys
import warnings

from aiosmtpd.smtp import SMTP, AuthResult

# It minds that this machine's own mails come without TLS.
warnings.filterwarnings("ignore")
logging.getLogger("mail.log").setLevel(logging.ERROR)

USER, PASSWORD = b"portal@escritorio.com.br", "senha do servidor".encode()


def tell(what):
    print(json.dumps(what), flush=True)


def authenticate(server, session, envelope, mechanism, login):
    return AuthResult(success=(login.login, login.password) == (USER, PASSWORD))


def read(part):
    content = part.get_content()
    is_text = isinstance(content, str)
    content_id = part["content-id"]
    return {
        "type": part.get_content_type(),
        "text": content if is_text else None,
        "bytes": None if is_text else base64.b64encode(content).decode(),
        "id": content_id and str(content_id).strip("<>"),
    }


class Taker:
    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        parts = [part for part in message.walk() if not part.is_multipart()]
        tell(
            {
                "from": envelope.mail_from,
                "to": envelope.rcpt_tos,
                "headers": {name.lower(): str(value) for name, value in message.items()},
                "type": message.get_content_type(),
                "parts": [read(part) for part in parts],
                "defects": [str(defect) for part in message.walk() for defect in part.defects]
                + [str(defect) for value in message.values() for defect in value.defects],
            }
        )
        return "250 OK"


async def main():
    def connection():
        return SMTP(
            Taker(),
            authenticator=authenticate,
            auth_required=True,
            # The tests' portal speaks to it on this machine alone.
            auth_require_tls=False,
        )

    server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0)
    tell({"port": server.sockets[0].getsockname()[1]})
    # Whoever started this holds the other end.
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


asyncio.run(main())
