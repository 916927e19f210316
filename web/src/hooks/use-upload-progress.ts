import { useEffect, useRef, useState } from 'react';

/** A file on its way: how far it is, and the way to call it off. Leaving the page calls it off too. */
export function useSending() {
  const [share, setShare] = useState<number | null>(null);
  const calledOff = useRef<AbortController>(null);
  useEffect(() => () => calledOff.current?.abort(), []);
  return {
    share,
    begin() {
      calledOff.current = new AbortController();
      setShare(0);
      return { onProgress: setShare, signal: calledOff.current.signal };
    },
    end: () => setShare(null),
    cancel: () => calledOff.current?.abort(),
  };
}
