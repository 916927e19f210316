// An administrator who looks at the portal as a client sees it: in this tab alone, and without changing anything.

export type Impersonation = {
  /** Good for what the client may read, and for nothing else. */
  token: string;
  /** Who looks. */
  adminId: string;
  client: { id: string; email: string; fullName: string | null };
};

const KEY = 'portaria-viewing';

/** Set when the page is loaded, and as long as it lives: another view is another page. */
const impersonation = read();

export function getImpersonation(): Impersonation | null {
  return impersonation;
}

/** Opens a page as the client sees it, or as the administrator again. */
export function setImpersonation(next: Impersonation | null, path: string): void {
  if (next) sessionStorage.setItem(KEY, JSON.stringify(next));
  else sessionStorage.removeItem(KEY);
  location.assign(path);
}

/** Only looks: the answer to whatever would change something, without asking the server. */
export function rejectWhenReadOnly(input: RequestInfo | URL, init?: RequestInit): Response | null {
  const method = init?.method ?? 'GET';
  if (!impersonation || method === 'GET' || method === 'HEAD') return null;
  const { pathname } = new URL(input instanceof Request ? input.url : input, location.origin);
  // The administrator's own session is renewed and ended as ever; a link to a file is for reading.
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
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nobody but us writes there, and the server believes none of it.
    return JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Impersonation | null;
  } catch {
    return null;
  }
}
