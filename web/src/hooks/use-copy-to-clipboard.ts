import { useApiMutation } from './use-api-mutation';

/** Puts a text into the clipboard, and says so. */
export function useCopyToClipboard(title: string) {
  return useApiMutation({
    mutationFn: copy,
    successToast: { title },
    errorToast: { title: 'Erro ao copiar', fallback: 'Selecione o texto e copie-o à mão.' },
  });
}

async function copy(text: string): Promise<void> {
  // Browsers give none to a page that came without TLS.
  if (!('clipboard' in navigator)) throw new Error('There is no clipboard.');
  await navigator.clipboard.writeText(text);
}
