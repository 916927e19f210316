// Rows of a long list in the page's own scroll area: only those near the viewport are in the document.
import { defaultRangeExtractor, useWindowVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** Room for the header above and the bar of actions below, in CSS pixels. */
const SCROLL_PADDING = 88;
/** Rows beyond the viewport on each side, so that Tab and short scrolls find them. */
const OVERSCAN = 10;

type WindowRows = {
  /** The element around the rows. */
  list: RefObject<HTMLDivElement | null>;
  virtualizer: Virtualizer<Window, Element>;
};

/**
 * Places `count` rows with these keys. `estimate` is the usual height of a row in CSS pixels; the elements are measured.
 * The rows of `kept` stay in the document wherever the page is scrolled to, such as the one with the focus.
 */
export function useWindowRows({
  keys,
  estimate,
  kept,
}: {
  keys: readonly string[];
  estimate: number;
  kept: readonly number[];
}): WindowRows {
  const list = useRef<HTMLDivElement>(null);
  const scrollMargin = usePageOffset(list);
  // oxlint-disable-next-line react/incompatible-library -- The React Compiler, which would memoize it, is not used.
  const virtualizer = useWindowVirtualizer({
    count: keys.length,
    getItemKey: (index) => keys[index] ?? index,
    estimateSize: () => estimate,
    overscan: OVERSCAN,
    scrollMargin,
    scrollPaddingStart: SCROLL_PADDING,
    scrollPaddingEnd: SCROLL_PADDING,
    rangeExtractor: (range) => {
      const present = kept.filter((index) => index >= 0 && index < keys.length);
      return [...new Set([...defaultRangeExtractor(range), ...present])].toSorted((a, b) => a - b);
    },
  });
  return { list, virtualizer };
}

/** The distance of an element from the top of the page. It changes with whatever is above. */
function usePageOffset(element: RefObject<HTMLElement | null>): number {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      if (element.current) setOffset(Math.round(element.current.getBoundingClientRect().top + scrollY));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return offset;
}
