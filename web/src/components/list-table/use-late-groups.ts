// Groups of rows that a long list renders after it is shown, so that going back to a list takes no longer than opening
// it.
import { type RefObject, startTransition, useEffect, useLayoutEffect, useReducer } from 'react';
import { flushSync } from 'react-dom';
import { NavigationType, useNavigationType } from 'react-router';

import { whenIdle } from '~/lib/when-idle';

/** Distance to the viewport from which a group is rendered. */
const MARGIN = '400px';
const FIRST: ReadonlySet<number> = new Set([0]);
/** The groups near the viewport when a list was left, by the list's name. Going back shows them again. */
const leftAt = new Map<string, ReadonlySet<number>>();

/**
 * The indexes of the groups that are still empty. A group is rendered when it comes near the viewport, and the others
 * one after another while the browser is idle. `groups` are the rows in their groups, stable between renders; each has
 * an element in `table.tBodies`. Groups that are added later are rendered at once.
 */
export function useLateGroups(
  name: string,
  table: RefObject<HTMLTableElement | null>,
  groups: readonly unknown[],
): ReadonlySet<number> {
  const isReturn = useNavigationType() === NavigationType.Pop;
  const [late, render] = useReducer(without, undefined, () => {
    const shown = (isReturn && leftAt.get(name)) || FIRST;
    return new Set([...groups.keys()].filter((index) => !shown.has(index)));
  });
  useLayoutEffect(() => {
    const near = new Set<number>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const index = indexes.get(target);
          if (index === undefined) continue;
          if (isIntersecting) near.add(index);
          else near.delete(index);
        }
        leftAt.set(name, new Set(near));
        startTransition(() => render([...near]));
      },
      { rootMargin: MARGIN },
    );
    const indexes = new Map<Element, number>();
    for (const index of groups.keys()) {
      const body = table.current?.tBodies[index];
      if (!body) continue;
      indexes.set(body, index);
      observer.observe(body);
    }
    return () => observer.disconnect();
  }, [name, table, groups]);
  useEffect(() => {
    const [next] = late;
    if (next !== undefined) whenIdle(() => startTransition(() => render([next])));
  }, [late]);
  useEffect(() => {
    const showAll = () => flushSync(() => render([...late]));
    window.addEventListener('beforeprint', showAll);
    return () => window.removeEventListener('beforeprint', showAll);
  }, [late]);
  return late;
}

function without(late: ReadonlySet<number>, rendered: readonly number[]): ReadonlySet<number> {
  return rendered.some((index) => late.has(index))
    ? new Set([...late].filter((index) => !rendered.includes(index)))
    : late;
}
