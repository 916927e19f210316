// Width of an element, observed.
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/**
 * A ref for an element, and its width in CSS pixels. The width is known before the first paint. `expected` is the width
 * until it is known, so that an element with this width is rendered once.
 */
export function useElementWidth<Element extends HTMLElement>(
  expected = 0,
): [RefObject<Element | null>, number] {
  const element = useRef<Element>(null);
  const [width, setWidth] = useState(expected);
  useLayoutEffect(() => {
    if (!element.current) return undefined;
    setWidth(element.current.getBoundingClientRect().width);
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
