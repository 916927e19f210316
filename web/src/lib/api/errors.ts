// The failures of the server's interfaces and of the network: their codes, and what they mean for the app.
import type { ErrorCode } from './database.types';

/** The codes with which the server refuses a token. */
export const sessionExpiredCodes: ReadonlySet<string> = new Set<ErrorCode>([
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

/** Whether the server no longer takes the token. Who was reading is led to the sign-in, and told why there. */
export function isSessionExpired(error: unknown): boolean {
  const { code, status } = getErrorInfo(error);
  return status === 401 || (code !== undefined && sessionExpiredCodes.has(code));
}

/** The code and status that a failure of any of the three interfaces carries. */
export function getErrorInfo(error: unknown): ErrorInfo {
  if (typeof error !== 'object' || error === null) return {};
  const code = text(error, 'code') ?? text(error, 'error') ?? text(error, 'statusCode');
  const status =
    'status' in error && typeof error.status === 'number' ? error.status : Number(text(error, 'statusCode'));
  return { code, status: Number.isFinite(status) ? status : undefined };
}

/** What the server refused with, as an error to throw: its code as those of the official client carry theirs. */
export async function parseErrorResponse(response: Response): Promise<Error> {
  const body: ErrorBody = await response.json().catch(() => ({}));
  const { status, url } = response;
  const refusal = new Error(body.message ?? `${url} answered ${status}`);
  return Object.assign(refusal, { code: body.code, status, reasons: body.weak_password?.reasons });
}

/** `fetch` throws a TypeError when no answer came; the official client's parts wrap it in their own way. */
export function isNetworkError(error: unknown): boolean {
  if (error instanceof TypeError) return true;
  if (!(error instanceof Error)) return false;
  return (
    // The client calls every fault of the server worth another try; a 500 is an answer all the same.
    (error.name === 'AuthRetryableFetchError' && getErrorInfo(error).status !== 500) ||
    /failed to fetch|networkerror|load failed/i.test(error.message)
  );
}

function text(error: object, key: string): string | undefined {
  const value: unknown = Reflect.get(error, key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
