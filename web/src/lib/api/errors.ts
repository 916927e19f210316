// Classification of errors of the server and the network.
import type { ErrorCode } from './database.types';

/** Error codes for a rejected access token or refresh token. */
const sessionExpiredCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'no_authorization',
  'bad_jwt',
  'session_not_found',
  'session_expired',
  'refresh_token_not_found',
  'refresh_token_already_used',
  'PGRST301',
  'PGRST303',
]);

type ErrorBody = { code?: string; message?: string; weak_password?: { reasons: string[] } };
export type ErrorInfo = { code?: string | undefined; status?: number | undefined };

/** Whether the server rejected the token. The auth middleware then redirects to the sign-in page with a toast. */
export function isSessionExpired(error: unknown): boolean {
  const { code, status } = getErrorInfo(error);
  return status === 401 || (code !== undefined && sessionExpiredCodes.has(code));
}

/** The error code and the HTTP status of an error from the auth, REST or storage API. */
export function getErrorInfo(error: unknown): ErrorInfo {
  if (typeof error !== 'object' || error === null) return {};
  const code = text(error, 'code') ?? text(error, 'error') ?? text(error, 'statusCode');
  const status =
    'status' in error && typeof error.status === 'number' ? error.status : Number(text(error, 'statusCode'));
  return { code, status: Number.isFinite(status) ? status : undefined };
}

/** Whether the server refused a new password. Its form shows the message at the field. */
export function isRefusedPassword(error: unknown): boolean {
  const { code } = getErrorInfo(error);
  return code === 'weak_password' || code === 'same_password';
}

/** Converts an error response to an `Error` with the same properties as the errors of the Supabase client. */
export async function parseErrorResponse(response: Response): Promise<Error> {
  const body: ErrorBody = await response.json().catch(() => ({}));
  const { status, url } = response;
  const refusal = new Error(body.message ?? `${url} answered ${status}`);
  return Object.assign(refusal, { code: body.code, status, reasons: body.weak_password?.reasons });
}

/** Whether the request got no response. `fetch` throws a `TypeError`, which the Supabase client may wrap. */
export function isNetworkError(error: unknown): boolean {
  if (error instanceof TypeError) return true;
  if (!(error instanceof Error)) return false;
  return (
    // The auth client classifies all server errors as retryable, but status 500 is a response.
    (error.name === 'AuthRetryableFetchError' && getErrorInfo(error).status !== 500) ||
    /failed to fetch|networkerror|load failed/i.test(error.message)
  );
}

function text(error: object, key: string): string | undefined {
  const value: unknown = Reflect.get(error, key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
