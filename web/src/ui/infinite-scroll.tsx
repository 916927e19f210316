// Infinite scrolling.
import { useEffect, useRef } from 'react';

import { Button } from './button';

type InfiniteScrollProps = {
  hasMore: boolean;
  loading: boolean;
  /**
   * Whether the last request failed. Then only the button loads more, because automatic requests would repeat
   * endlessly.
   */
  failed: boolean;
  onLoadMore: () => void;
};

/** The end of a list. It loads the next page when it approaches the viewport, or on a click of its button. */
export function InfiniteScroll({ hasMore, loading, failed, onLoadMore }: InfiniteScrollProps) {
  const sentinel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!sentinel.current || !hasMore || loading || failed) return undefined;
    // A busy page gets several entries at once. The last one is the present state.
    const observer = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting && onLoadMore(), {
      rootMargin: '400px',
    });
    observer.observe(sentinel.current);
    return () => observer.disconnect();
  }, [hasMore, loading, failed, onLoadMore]);

  if (!hasMore) return null;
  return (
    <div ref={sentinel} className="flex justify-center p-4 print:hidden">
      <Button variant="secondary" pending={loading} onClick={onLoadMore}>
        Carregar mais
      </Button>
    </div>
  );
}
