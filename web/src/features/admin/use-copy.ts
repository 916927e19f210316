import { useAction } from '~/lib/use-action';

/** Puts a text into the clipboard, and says so. */
export function useCopy(title: string) {
  return useAction({
    run: (text: string) => navigator.clipboard.writeText(text),
    success: { title },
    failure: { title: 'Erro ao copiar', fallback: 'Selecione o texto e copie-o à mão.' },
  });
}
