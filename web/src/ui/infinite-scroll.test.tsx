// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest';

import { perform, render } from '~/testing/render';

import { InfiniteScroll } from './infinite-scroll';

/** Reports whether the end of the list is near the viewport: once for each value, all in one call. */
let report: (...near: boolean[]) => void;

class FakeObserver {
  constructor(callback: (entries: { isIntersecting: boolean }[]) => void) {
    report = (...near) => callback(near.map((isIntersecting) => ({ isIntersecting })));
  }
  observe = vi.fn<() => void>();
  disconnect = vi.fn<() => void>();
}

test('infinite scroll loads the next page when the latest report says that its end is near', async () => {
  vi.stubGlobal('IntersectionObserver', FakeObserver);
  const onLoadMore = vi.fn<() => void>();
  await render(<InfiniteScroll hasMore loading={false} failed={false} onLoadMore={onLoadMore} />);
  await perform(() => report(true, false));
  expect(onLoadMore).not.toHaveBeenCalled();
  await perform(() => report(false, true));
  expect(onLoadMore).toHaveBeenCalledOnce();
});
