// Progress and cancellation of an upload.
import { useEffect, useRef, useState } from 'react';

/** `progress` is from 0 to 1, or null without an upload. Unmounting aborts the upload. */
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
