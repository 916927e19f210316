"""The portal under test and clients for it. The environment holds its address, its keys and an administrator."""

import base64
import hmac
import os
import time
import uuid

from supabase import Client, ClientOptions, create_client

URL = os.environ["PORTAL_URL"]
ADMIN = {"email": os.environ["PORTAL_ADMIN_EMAIL"], "password": os.environ["PORTAL_ADMIN_PASSWORD"]}


def anonymous() -> Client:
    return create_client(URL, os.environ["PORTAL_ANON_KEY"], ClientOptions(auto_refresh_token=False))


def service() -> Client:
    return create_client(URL, os.environ["PORTAL_SERVICE_KEY"], ClientOptions(auto_refresh_token=False))


def sign_in(person: dict[str, str]) -> Client:
    client = anonymous()
    client.auth.sign_in_with_password({"email": person["email"], "password": person["password"]})
    return client


def new_person(name: str) -> dict[str, str]:
    """Creates a client of the office."""
    email = f"{uuid.uuid4().hex[:12]}@cliente.com.br"
    password = f"senha de {email}"
    attributes = {"email": email, "password": password, "email_confirm": True, "user_metadata": {"full_name": name}}
    user = service().auth.admin.create_user(attributes).user
    return {"id": user.id, "email": email, "password": password}


def totp(secret: str) -> str:
    """The current code of an authenticator app (RFC 6238)."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.digest(key, int(time.time() // 30).to_bytes(8, "big"), "sha1")
    start = digest[-1] & 15
    return f"{(int.from_bytes(digest[start : start + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"
