// URL parameters that filters of a list change.
import { useEffect, useRef } from 'react';
import { useSearchParams } from 'react-router';

export type UrlParams = [
  params: URLSearchParams,
  set: (name: string, value: string, options?: { push?: boolean }) => void,
  clear: () => void,
];

/**
 * The URL parameters, a function that replaces one of them, or removes it if the value is empty, and one that removes
 * all. With `push` the change is an entry of the history, to which Back returns. Two changes add up even if the navigation of the first has not ended, unlike those of `useSearchParams`.
 */
export function useUrlParams(): UrlParams {
  const [params, setParams] = useSearchParams();
  const latest = useRef(params);
  useEffect(() => {
    latest.current = params;
  }, [params]);
  const change = (next: URLSearchParams, push = false) => {
    latest.current = next;
    setParams(next, { replace: !push });
  };
  const set: UrlParams[1] = (name, value, { push = false } = {}) => {
    const next = new URLSearchParams(latest.current);
    if (value === '') next.delete(name);
    else next.set(name, value);
    change(next, push);
  };
  return [params, set, () => change(new URLSearchParams())];
}
