// URL parameters that filters of a list change.
import { useEffect, useRef } from 'react';
import { useSearchParams } from 'react-router';

export type UrlParams = [
  params: URLSearchParams,
  set: (name: string, value: string) => void,
  clear: () => void,
];

/**
 * The URL parameters, a function that replaces one of them, or removes it if the value is empty, and one that removes
 * all. Two changes add up even if the navigation of the first has not ended, unlike those of `useSearchParams`.
 */
export function useUrlParams(): UrlParams {
  const [params, setParams] = useSearchParams();
  const latest = useRef(params);
  useEffect(() => {
    latest.current = params;
  }, [params]);
  const replace = (next: URLSearchParams) => {
    latest.current = next;
    setParams(next, { replace: true });
  };
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(latest.current);
    if (value === '') next.delete(name);
    else next.set(name, value);
    replace(next);
  };
  return [params, set, () => replace(new URLSearchParams())];
}
