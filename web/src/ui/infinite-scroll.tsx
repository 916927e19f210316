import { useEffect, useRef } from 'react';

import { Button } from './button';

type InfiniteScrollProps = {
  hasMore: boolean;
  loading: boolean;
  /** The next page could not be read: it is asked for by the button alone then, or it would be asked for ever. */
  failed: boolean;
  onLoadMore: () => void;
};

/** The foot of a long list: reads the next page when it comes near, or when its button is pressed. */
export function InfiniteScroll({ hasMore, loading, failed, onLoadMore }: InfiniteScrollProps) {
  const foot = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!foot.current || !hasMore || loading || failed) return undefined;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onLoadMore(), {
      rootMargin: '400px',
    });
    observer.observe(foot.current);
    return () => observer.disconnect();
  }, [hasMore, loading, failed, onLoadMore]);

  if (!hasMore) return null;
  return (
    <div ref={foot} className="flex justify-center p-4 print:hidden">
      <Button variant="secondary" pending={loading} onClick={onLoadMore}>
        Carregar mais
      </Button>
    </div>
  );
}
