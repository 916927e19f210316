"""Lists a client's documents, downloads the newest one, and opens a ticket, with the official client."""

import os
from pathlib import Path

from supabase import create_client

portal = create_client(os.environ["PORTAL_URL"], os.environ["PORTAL_ANON_KEY"])
session = portal.auth.sign_in_with_password(
    {"email": os.environ["PORTAL_EMAIL"], "password": os.environ["PORTAL_PASSWORD"]}
)
print(f"Signed in as {session.user.email}")

# The rows are the client's own: the query names no owner.
documents = portal.table("documents").select("name, file_url, expires_at").order("created_at", desc=True).execute().data
for document in documents:
    print(f"Document: {document['name']}, due {document['expires_at'] or 'never'}")

if documents:
    content = portal.storage.from_("client-documents").download(documents[0]["file_url"])
    Path("newest.pdf").write_bytes(content)
    print(f"Downloaded {len(content)} bytes")

row = {"subject": "Dúvida sobre o documento", "message": "Este ticket foi aberto por um exemplo."}
ticket = portal.table("tickets").insert(row).execute().data[0]
print(f"Ticket: {ticket['status']}")

portal.auth.sign_out({"scope": "local"})
