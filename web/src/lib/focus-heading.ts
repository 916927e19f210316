/** Id of the main content, the target of the skip link. */
export const MAIN_ID = 'conteudo';

/**
 * Moves focus to the heading of the page, which a screen reader then reads, or to the main content while the heading is
 * not there. The page keeps its scroll position.
 */
export function focusHeading(): void {
  const main = document.querySelector<HTMLElement>(`#${MAIN_ID}`);
  const heading = main?.querySelector('h1');
  heading?.setAttribute('tabindex', '-1');
  (heading ?? main)?.focus({ preventScroll: true });
}
