import { useEffect, useState } from 'react';

/** A value once it has rested for a moment: what a search asks the server for while someone types. */
export function useDebounced<Value>(value: Value, delayMs = 250): Value {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return rested;
}
