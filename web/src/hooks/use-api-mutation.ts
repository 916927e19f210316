// Something a person does that changes the server: its progress, its toasts and what to read anew.
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

import { explain } from '~/lib/api/error-messages';
import { toast, type ToastMessage } from '~/lib/toast';

export type Action<Input, Output> = {
  run: (input: Input) => Promise<Output>;
  key?: QueryKey;
  /** How often it is tried again by itself. */
  retry?: number;
  /** Every query under these keys is read anew after success. */
  refreshes?: QueryKey[];
  success?: ToastMessage | ((output: Output, input: Input) => ToastMessage | null);
  /**
   * The toast of a failure. Without a description it tells the reason, or `fallback` when that is unknown.
   * Leave it out when the screen shows the failure itself, beside the form: never both.
   */
  failure?: { title: string; description?: string; fallback?: string };
  onSuccess?: (output: Output, input: Input) => void;
  /** What the screen goes on to after success; nothing if it was left meanwhile. */
  next?: (output: Output, input: Input) => void;
  onFailure?: (error: Error, input: Input) => void;
  onSettled?: () => void;
};

/** `run(input)` starts it; `pending` says it is under way. It goes on, and reports, if the screen is left. */
export function useAction<Output, Input = void>(action: Action<Input, Output>) {
  const queryClient = useQueryClient();
  const isLeft = useRef(false);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);
  const mutation = useMutation<Output, Error, Input>({
    ...(action.key && { mutationKey: action.key }),
    ...(action.retry !== undefined && { retry: action.retry }),
    mutationFn: action.run,
    async onSuccess(output, input) {
      const message = typeof action.success === 'function' ? action.success(output, input) : action.success;
      if (message) toast(message);
      action.onSuccess?.(output, input);
      if (!isLeft.current) action.next?.(output, input);
      await Promise.all(
        (action.refreshes ?? []).map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      );
    },
    onError(error, input) {
      if (action.failure) {
        const { title, description, fallback = 'Tente novamente.' } = action.failure;
        toast({ title, description: description ?? explain(error, fallback), tone: 'destructive' });
      }
      action.onFailure?.(error, input);
    },
    onSettled: () => action.onSettled?.(),
  });
  return { run: mutation.mutate, pending: mutation.isPending, error: mutation.error };
}
