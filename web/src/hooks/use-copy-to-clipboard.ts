// Copying to the clipboard.
import { useApiMutation } from './use-api-mutation';

/** Copies a text to the clipboard. `title` is the title of the success toast. */
export function useCopyToClipboard(title: string) {
  return useApiMutation({
    mutationFn: copy,
    successToast: { title },
    errorToast: { title: 'Erro ao copiar', fallback: 'Selecione o texto e copie-o à mão.' },
  });
}

async function copy(text: string): Promise<void> {
  // The clipboard exists only in secure contexts (HTTPS).
  if (!('clipboard' in navigator)) throw new Error('There is no clipboard.');
  await navigator.clipboard.writeText(text);
}
