// Announcements of changed rows, by the official realtime client. The module is loaded when the page is idle.
import { REALTIME_SUBSCRIBE_STATES as STATES, RealtimeClient } from '@supabase/realtime-js';

import { serverConfig } from './server-config';
import { getAccessToken } from './supabase';

type TableListener = {
  /** A row of a table changed that the person may read. */
  onChange: (table: string) => void;
  /** The announcements begin, also again after a lost connection, or end. */
  onStatus: (isJoined: boolean) => void;
};

/** The column of the events, where clients see no `id`. */
const KEY_COLUMNS: Readonly<Record<string, string>> = { folders: 'id_supabase' };

const MIN_RECONNECT_MS = 1_000;
const MAX_RECONNECT_MS = 30_000;

/** Doubles with each attempt. The random part spreads the browsers of an office after a restart of the server. */
function reconnectDelay(attempt: number): number {
  return Math.min(MIN_RECONNECT_MS * 2 ** (attempt - 1), MAX_RECONNECT_MS) * (0.5 + Math.random());
}

/** Subscribes to the changes of tables. Events contain only the key, because the page reads its queries again. */
export function followTables(tables: readonly string[], { onChange, onStatus }: TableListener): () => void {
  const client = new RealtimeClient(`${location.origin.replace(/^http/, 'ws')}/realtime/v1`, {
    params: { apikey: serverConfig().anon_key },
    accessToken: getAccessToken,
    reconnectAfterMs: reconnectDelay,
  });
  let isStopped = false;
  let attempt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const join = async () => {
    // The channel joins with the token of the person. Without a network the next attempt reads it.
    await client.setAuth().catch(() => {});
    if (isStopped) return;
    const channel = client.channel('tables');
    for (const table of tables) {
      const select = [KEY_COLUMNS[table] ?? 'id'];
      channel.on('postgres_changes', { event: '*', schema: 'public', table, select }, () => onChange(table));
    }
    channel.subscribe((status) => {
      if (isStopped) return;
      onStatus(status === STATES.SUBSCRIBED);
      if (status === STATES.SUBSCRIBED) attempt = 0;
      // The client joins again after errors, but not after the server ended the channel, as with an expired token.
      if (status === STATES.CLOSED) {
        attempt += 1;
        clearTimeout(timer);
        timer = setTimeout(() => void join(), reconnectDelay(attempt));
      }
    });
  };
  void join();

  return () => {
    isStopped = true;
    clearTimeout(timer);
    onStatus(false);
    void client.removeAllChannels();
  };
}
