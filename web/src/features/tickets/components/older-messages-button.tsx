// Button above the messages of a long thread, which loads older ones.
import { useRef } from 'react';

import { useApiMutation } from '~/hooks/use-api-mutation';
import { Button } from '~/ui/button';

type OlderMessagesButtonProps = {
  /** Reads older messages. Returns a function that shows them. */
  read: () => Promise<() => void>;
};

/** The messages on the screen stay where they are: the older ones appear above them. */
export function OlderMessagesButton({ read }: OlderMessagesButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const loading = useApiMutation({
    async mutationFn() {
      const show = await read();
      if (button.current) keepPlace(button.current);
      show();
    },
    errorToast: {
      title: 'Erro ao carregar mensagens',
      fallback: 'Não foi possível carregar as mensagens anteriores. Tente novamente.',
    },
  });
  return (
    <>
      <Button
        ref={button}
        variant="secondary"
        pending={loading.isPending}
        onClick={() => loading.mutate()}
        className="print:hidden"
      >
        Mostrar mensagens anteriores
      </Button>
      <p className="text-muted-foreground hidden text-sm print:block">
        Há mensagens anteriores que não estão nesta impressão.
      </p>
    </>
  );
}

/**
 * Keeps the message below the button in its place when older ones are inserted between the two. The focus goes to the
 * first of these if the button disappears. Screen readers do not announce them: they are not new.
 */
function keepPlace(button: HTMLElement): void {
  const item = button.closest('li');
  const below = item?.nextElementSibling;
  const list = item?.parentElement;
  const log = list?.parentElement;
  if (!item || !below || !list || !log) return;
  // The dividers above the message may disappear.
  const anchor = below.lastElementChild ?? below;
  const { top } = anchor.getBoundingClientRect();
  const wasFocused = document.activeElement === button;
  log.setAttribute('aria-live', 'off');
  // Observers are called before the browser paints.
  const observer = new MutationObserver(() => {
    if (below.previousElementSibling === item) return;
    observer.disconnect();
    scrollBy({ top: anchor.getBoundingClientRect().top - top, behavior: 'instant' });
    if (wasFocused && !button.isConnected) {
      const oldest = list.children[1];
      if (oldest instanceof HTMLElement) {
        oldest.tabIndex = -1;
        oldest.focus({ preventScroll: true });
      }
    }
    // Announcements follow after the change.
    setTimeout(() => log.removeAttribute('aria-live'), 1000);
  });
  observer.observe(list, { childList: true });
}
