// The toast after a removal of many documents.
import type { Removal } from '~/features/documents/api/removal';
import { toUserMessage } from '~/lib/api/error-messages';
import type { ToastMessage } from '~/lib/toast';

type RemovalToastOptions = {
  /** Says how many documents were removed. */
  counted: string;
  /** Title of a complete removal. Default: the number of documents. */
  title?: string;
  errorTitle: string;
};

/** After an error the toast says how many documents were removed before, too. */
export function removalToast(
  { count, error }: Removal,
  { counted, title, errorTitle }: RemovalToastOptions,
): ToastMessage {
  if (error === undefined) return title === undefined ? { title: counted } : { title, description: counted };
  const message = toUserMessage(error, 'Tente novamente.');
  return {
    title: errorTitle,
    description: count === 0 ? message : `${counted}. ${message}`,
    variant: 'error',
  };
}
