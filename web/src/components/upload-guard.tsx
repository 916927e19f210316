// Confirmation before leaving a page whose uploads would end unfinished.
import { UnsavedChangesGuard } from './unsaved-changes-guard';

const TEXTS = {
  title: 'Interromper o envio?',
  stay: 'Continuar enviando',
  leave: 'Sair e interromper',
};

/** Asks as long as it is in the page. */
export function UploadGuard() {
  return (
    <UnsavedChangesGuard
      enabled
      texts={TEXTS}
      description="O arquivo ainda está a caminho. Se você sair agora, ele não chega."
    />
  );
}
