import { useEffect, useRef, useState } from 'react';

/** A file on its way: how far it is, and the way to call it off. Leaving the page calls it off too. */
export function useUploadProgress() {
  const [progress, setProgress] = useState<number | null>(null);
  const controller = useRef<AbortController>(null);
  useEffect(() => () => controller.current?.abort(), []);
  return {
    progress,
    start() {
      controller.current = new AbortController();
      setProgress(0);
      return { onProgress: setProgress, signal: controller.current.signal };
    },
    finish: () => setProgress(null),
    cancel: () => controller.current?.abort(),
  };
}
