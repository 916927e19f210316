#!/usr/bin/env bash
# Lists a client's documents, downloads the newest one, and opens a ticket, with curl.
set -euo pipefail

call() { curl --silent --show-error --fail-with-body --header "apikey: $PORTAL_ANON_KEY" "$@"; }

credentials=$(jq --null-input '{email: env.PORTAL_EMAIL, password: env.PORTAL_PASSWORD}')
token=$(
  call "$PORTAL_URL/auth/v1/token?grant_type=password" --json "$credentials" | jq --raw-output .access_token
)
signed_in=(--header "Authorization: Bearer $token")
echo "Signed in as $PORTAL_EMAIL"

# The rows are the client's own: the query names no owner.
query='select=name,file_url,expires_at&order=created_at.desc'
documents=$(call "${signed_in[@]}" "$PORTAL_URL/rest/v1/documents?$query")
jq --raw-output '.[] | "Document: \(.name), due \(.expires_at)"' <<<"$documents"

# A name may contain characters that a URL does not.
newest=$(jq --raw-output '.[0].file_url | split("/") | map(@uri) | join("/")' <<<"$documents")
call "${signed_in[@]}" "$PORTAL_URL/storage/v1/object/authenticated/client-documents/$newest" \
  --output newest.pdf
echo "Downloaded $(wc -c <newest.pdf) bytes"

ticket=$(
  call "${signed_in[@]}" --header 'Prefer: return=representation' \
    --header 'Accept: application/vnd.pgrst.object+json' "$PORTAL_URL/rest/v1/tickets?select=status" \
    --json '{"subject": "Dúvida sobre o documento", "message": "Este ticket foi aberto por um exemplo."}'
)
echo "Ticket: $(jq --raw-output .status <<<"$ticket")"

call "${signed_in[@]}" --request POST "$PORTAL_URL/auth/v1/logout?scope=local"
