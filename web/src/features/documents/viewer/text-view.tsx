// Text of a document.
import { REST, viewport } from './viewer-frame';

export function TextView({ text, isCut }: { text: string; isCut: boolean }) {
  return (
    <pre
      // Makes the container scrollable with the keyboard.
      tabIndex={0}
      role="region"
      aria-label="Texto do documento"
      className={`${viewport} p-5 font-mono text-sm wrap-anywhere whitespace-pre-wrap`}
    >
      {text}
      {isCut && `\n\n… ${REST}`}
    </pre>
  );
}
