import { useCallback, useEffect, useState } from 'react';

import { Button } from '~/ui/button';
import { InfiniteScroll } from '~/ui/infinite-scroll';

import { Example, Row } from '../example';

const PAGE = 20;
const PAGES = 3;

export function Examples() {
  return (
    <>
      <Example title="Loads while it is scrolled">
        <Scrolled />
      </Example>
      <Example title="Failed: the button loads">
        <Failed />
      </Example>
    </>
  );
}

/** A list in a frame of its own height, because the page below it is long. */
function Scrolled() {
  const [pages, setPages] = useState(0);
  const [isLoading, setIsLoading] = useState(false);
  const load = useCallback(() => setIsLoading(true), []);
  useEffect(() => {
    if (!isLoading) return undefined;
    const timer = setTimeout(() => {
      setIsLoading(false);
      setPages((count) => count + 1);
    }, 100);
    return () => clearTimeout(timer);
  }, [isLoading]);
  return (
    <>
      <Row>
        <Button variant="secondary" onClick={() => setPages(1)} disabled={pages > 0}>
          Abrir a lista
        </Button>
      </Row>
      {pages > 0 && (
        <div
          role="region"
          aria-label="Lista que carrega"
          tabIndex={0}
          className="border-border h-64 overflow-y-auto border"
        >
          <ul aria-label="Linhas">
            {Array.from({ length: pages * PAGE }, (_, row) => (
              <li key={row} className="px-4 py-3">
                Linha {row + 1}
              </li>
            ))}
          </ul>
          <InfiniteScroll hasMore={pages < PAGES} loading={isLoading} failed={false} onLoadMore={load} />
        </div>
      )}
    </>
  );
}

function Failed() {
  const [attempts, setAttempts] = useState(0);
  const retry = useCallback(() => setAttempts((count) => count + 1), []);
  return (
    <>
      <InfiniteScroll hasMore loading={false} failed onLoadMore={retry} />
      <output className="text-sm">Novas tentativas: {attempts}</output>
    </>
  );
}
