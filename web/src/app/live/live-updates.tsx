// Keeps what the page shows up to date: a change of a table refetches the queries that read it.
import type { QueryKey } from '@tanstack/react-query';
import { useEffect } from 'react';

import { useUser } from '~/features/auth/session';
import { setLive } from '~/lib/api/live-status';
import { createPacedRefetch } from '~/lib/api/paced-refetch';
import { queryClient } from '~/lib/api/query-client';
import { whenIdle } from '~/lib/when-idle';

/** The keys of the queries that read a table. */
export type TableQueries = Readonly<Record<string, readonly QueryKey[]>>;

export function LiveUpdates({ tables }: { tables: TableQueries }) {
  const { id, pendingStep } = useUser();
  // A session that must first complete a step of the sign-in may not read.
  return id !== '' && pendingStep === null ? <Subscription key={id} tables={tables} /> : null;
}

function Subscription({ tables }: { tables: TableQueries }) {
  useEffect(() => startLiveUpdates(tables), [tables]);
  return null;
}

function startLiveUpdates(tables: TableQueries): () => void {
  const refetch = createPacedRefetch(queryClient);
  let isStopped = false;
  let unsubscribe: (() => void) | undefined;
  const start = async () => {
    const { followTables } = await import('~/lib/api/realtime');
    if (isStopped) return;
    unsubscribe = followTables(Object.keys(tables), {
      onChange: (table) => tables[table]?.forEach(refetch.request),
      onStatus(isJoined) {
        setLive(isJoined);
        // Changes before the join were not announced.
        if (isJoined) Object.values(tables).flat().forEach(refetch.request);
      },
    });
  };
  // Without a network the page polls, and its next load tries again.
  whenIdle(() => void start().catch(() => {}));
  return () => {
    isStopped = true;
    refetch.stop();
    unsubscribe?.();
  };
}
