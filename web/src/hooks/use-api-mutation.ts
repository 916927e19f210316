// Something a person does that changes the server: its progress, its toasts and what to read anew.
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

import { toUserMessage } from '~/lib/api/error-messages';
import { dismissToast, toast, type ToastMessage } from '~/lib/toast';

export type ApiMutationOptions<Input, Output> = {
  mutationFn: (input: Input) => Promise<Output>;
  mutationKey?: QueryKey;
  /** How often it is tried again by itself. */
  retry?: number;
  /** Every query under these keys is read anew after success. */
  invalidates?: QueryKey[];
  successToast?: ToastMessage | ((output: Output, input: Input) => ToastMessage | null);
  /**
   * The toast of a failure. Without a description it tells the reason, or `fallback` when that is unknown.
   * Leave it out when the screen shows the failure itself, beside the form: never both.
   */
  errorToast?: { title: string; description?: string; fallback?: string };
  onSuccess?: (output: Output, input: Input) => void;
  /** What the screen goes on to after success; nothing if it was left meanwhile. */
  onSuccessIfMounted?: (output: Output, input: Input) => void;
  onError?: (error: Error, input: Input) => void;
  onSettled?: () => void;
};

/** `run(input)` starts it; `pending` says it is under way. It goes on, and reports, if the screen is left. */
export function useApiMutation<Output, Input = void>(action: ApiMutationOptions<Input, Output>) {
  const queryClient = useQueryClient();
  const isLeft = useRef(false);
  const lastError = useRef<number>(null);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);
  const mutation = useMutation<Output, Error, Input>({
    ...(action.mutationKey && { mutationKey: action.mutationKey }),
    ...(action.retry !== undefined && { retry: action.retry }),
    mutationFn: action.mutationFn,
    // A new attempt makes the error of the one before obsolete.
    onMutate() {
      if (lastError.current !== null) dismissToast(lastError.current);
      lastError.current = null;
    },
    async onSuccess(output, input) {
      const message =
        typeof action.successToast === 'function' ? action.successToast(output, input) : action.successToast;
      if (message) toast(message);
      action.onSuccess?.(output, input);
      if (!isLeft.current) action.onSuccessIfMounted?.(output, input);
      await Promise.all(
        (action.invalidates ?? []).map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      );
    },
    onError(error, input) {
      if (action.errorToast) {
        const { title, description, fallback = 'Tente novamente.' } = action.errorToast;
        lastError.current = toast({
          title,
          description: description ?? toUserMessage(error, fallback),
          variant: 'error',
        });
      }
      action.onError?.(error, input);
    },
    onSettled: () => action.onSettled?.(),
  });
  return { mutate: mutation.mutate, isPending: mutation.isPending, error: mutation.error };
}
