// Control or Command with P prints the file, where the browser would print the page around it.
import { useModShortcut } from '~/hooks/use-key-shortcuts';

export function PrintShortcut({ onPrint }: { onPrint: () => void }) {
  useModShortcut('p', onPrint);
  return null;
}
