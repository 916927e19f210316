import { useEffect, useRef } from 'react';

import { Button } from './button';

type LoadMoreProps = {
  hasMore: boolean;
  loading: boolean;
  /** The next page could not be read: it is asked for by the button alone then, or it would be asked for ever. */
  failed: boolean;
  onMore: () => void;
};

/** The foot of a long list: reads the next page when it comes near, or when its button is pressed. */
export function LoadMore({ hasMore, loading, failed, onMore }: LoadMoreProps) {
  const foot = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!foot.current || !hasMore || loading || failed) return undefined;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onMore(), {
      rootMargin: '400px',
    });
    observer.observe(foot.current);
    return () => observer.disconnect();
  }, [hasMore, loading, failed, onMore]);

  if (!hasMore) return null;
  return (
    <div ref={foot} className="print-hide flex justify-center p-4">
      <Button variant="secondary" pending={loading} onClick={onMore}>
        Carregar mais
      </Button>
    </div>
  );
}
