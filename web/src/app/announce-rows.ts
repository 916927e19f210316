// Announces to screen readers how many rows a search, a filter or a further page shows.

import { pluralize } from '~/lib/format';

/** Time without a change after which a number is announced, in milliseconds. */
const DELAY_MS = 700;

/**
 * Lists write their number of rows into the attribute `data-rows` of an empty status, and remove it while they read rows.
 * This fills in the text. The first number of a list is not announced, unless the list answers a search (`data-answer`).
 * A list without rows is not announced while another list answers the same search.
 * A list within a live region needs no number, because the region announces the rows themselves.
 */
export function announceRows(): void {
  const known = new WeakSet<Node>();
  const timers = new WeakMap<Node, ReturnType<typeof setTimeout>>();
  new MutationObserver((changes) => {
    for (const { target, oldValue } of changes) {
      if (!(target instanceof HTMLElement)) continue;
      if (oldValue !== null) known.add(target);
      clearTimeout(timers.get(target));
      const { rows, answer } = target.dataset;
      if (rows === undefined || target.parentElement?.closest('[aria-live]')) continue;
      const isSearched = document.querySelector('[data-answer]') !== null;
      if (answer === undefined && (!known.has(target) || (isSearched && rows === '0'))) continue;
      const announce = () => (target.textContent = pluralize(Number(rows), 'item', 'itens'));
      timers.set(target, setTimeout(announce, DELAY_MS));
    }
  }).observe(document.body, { attributeFilter: ['data-rows'], attributeOldValue: true, subtree: true });
}
