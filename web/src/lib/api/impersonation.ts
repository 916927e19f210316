// Impersonation: an administrator views the portal as a client, read-only and in this tab only.

export type Impersonation = {
  /** An access token with read-only access to the data of the client. */
  token: string;
  adminId: string;
  client: { id: string; email: string; fullName: string | null };
};

const KEY = 'portaria-viewing';

/** Read once per page load, because `setImpersonation` always loads a new page. */
const impersonation = read();

export function getImpersonation(): Impersonation | null {
  return impersonation;
}

/** Starts an impersonation, or ends it with null, and loads the page at `path`. */
export function setImpersonation(next: Impersonation | null, path: string): void {
  if (next) sessionStorage.setItem(KEY, JSON.stringify(next));
  else sessionStorage.removeItem(KEY);
  location.assign(path);
}

/** During impersonation, returns a response with status 403 for requests that change data. The request is not sent. */
export function rejectWhenReadOnly(input: RequestInfo | URL, init?: RequestInit): Response | null {
  const method = init?.method ?? 'GET';
  if (!impersonation || method === 'GET' || method === 'HEAD') return null;
  const { pathname } = new URL(input instanceof Request ? input.url : input, location.origin);
  // Session renewal, sign-out and signed download URLs use POST and remain allowed.
  if (/\/auth\/v1\/(?:token|logout)$|\/storage\/v1\/object\/sign\//.test(pathname)) return null;
  const refusal = {
    code: 'view_only',
    error_code: 'view_only',
    message: 'Nothing can be changed in this view.',
  };
  return Response.json(refusal, { status: 403 });
}

function read(): Impersonation | null {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `setImpersonation` writes the item, and the server does not trust it.
    return JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Impersonation | null;
  } catch {
    return null;
  }
}
