// Mutations with toasts and cache invalidation.
import { type QueryKey, useMutation } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';

import { toUserMessage } from '~/lib/api/error-messages';
import { isSessionExpired } from '~/lib/api/errors';
import { refetchChanged } from '~/lib/api/query-client';
import { hasStoredSession } from '~/lib/api/supabase';
import { dismissToast, toast, type ToastMessage } from '~/lib/toast';

export type ApiMutationOptions<Input, Output> = {
  mutationFn: (input: Input) => Promise<Output>;
  mutationKey?: QueryKey;
  /** The maximum number of automatic retries. */
  retry?: number;
  /** Keys of the queries to invalidate after success. */
  invalidates?: QueryKey[];
  successToast?: ToastMessage | ((output: Output, input: Input) => ToastMessage | null);
  /**
   * The toast for a failure. Without a description it shows the message for the error, or `fallback` for an unknown one.
   * Omit it if the screen shows the error itself.
   */
  errorToast?: { title: string; description?: string; fallback?: string };
  onSuccess?: (output: Output, input: Input) => void;
  /** Called after success, unless the component has been unmounted. */
  onSuccessIfMounted?: (output: Output, input: Input) => void;
  onError?: (error: Error, input: Input) => void;
  /** Called after a failure, and after success when the invalidated queries have been refetched. */
  onSettled?: (input: Input) => void;
};

/**
 * Returns `mutate`, `isPending` and `error`. `mutate` is stable, and drops a repetition of the input that it sent last
 * until that has an answer: the second click of a double click may come before the render that disables the button. The
 * mutation and its toasts continue after the component is unmounted.
 */
export function useApiMutation<Output, Input = void>(options: ApiMutationOptions<Input, Output>) {
  const isUnmounted = useRef(false);
  const lastError = useRef<number>(null);
  /** The input that was sent last, until it has an answer. */
  const lastInput = useRef<{ input: Input }>(null);
  const release = (input: Input) => {
    if (Object.is(lastInput.current?.input, input)) lastInput.current = null;
  };
  useEffect(() => {
    isUnmounted.current = false;
    return () => {
      isUnmounted.current = true;
    };
  }, []);
  const mutation = useMutation<Output, Error, Input>({
    ...(options.mutationKey && { mutationKey: options.mutationKey }),
    ...(options.retry !== undefined && { retry: options.retry }),
    mutationFn: options.mutationFn,
    // A new attempt makes the error of the one before obsolete.
    onMutate() {
      if (lastError.current !== null) dismissToast(lastError.current);
      lastError.current = null;
    },
    async onSuccess(output, input) {
      release(input);
      const message =
        typeof options.successToast === 'function'
          ? options.successToast(output, input)
          : options.successToast;
      if (message) toast(message);
      options.onSuccess?.(output, input);
      if (!isUnmounted.current) options.onSuccessIfMounted?.(output, input);
      await Promise.all((options.invalidates ?? []).map(refetchChanged));
    },
    onError(error, input) {
      release(input);
      // At the end of a session the auth middleware shows a toast, except on the pages that use the auth client.
      const isAnnounced = isSessionExpired(error) && !hasStoredSession() && !error.name.startsWith('Auth');
      if (options.errorToast && !isAnnounced) {
        const { title, description, fallback = 'Tente novamente.' } = options.errorToast;
        lastError.current = toast({
          title,
          description: description ?? toUserMessage(error, fallback),
          variant: 'error',
        });
      }
      options.onError?.(error, input);
    },
    onSettled: (_output, _error, input) => options.onSettled?.(input),
  });
  const send = mutation.mutate;
  const mutate = useCallback(
    (input: Input) => {
      if (lastInput.current && isSameInput(lastInput.current.input, input)) return;
      lastInput.current = { input };
      send(input);
    },
    [send],
  );
  return { mutate, isPending: mutation.isPending, error: mutation.error };
}

/** Whether two inputs are equal. Objects and arrays are compared by their values. */
function isSameInput(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  // Files, among others, hide their values.
  if (!isPlain(a) || !isPlain(b)) return false;
  const values = new Map(Object.entries(a));
  const others = Object.entries(b);
  return (
    values.size === others.length &&
    others.every(([name, value]) => values.has(name) && isSameInput(values.get(name), value))
  );
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
