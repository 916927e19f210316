// Announcements of changed rows, and the presence of colleagues, by the official realtime client. The module is loaded
// when the page is idle.
import {
  REALTIME_SUBSCRIBE_STATES as STATES,
  type RealtimeChannel,
  RealtimeClient,
} from '@supabase/realtime-js';

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

/** The connection of the page, which closes when its last channel is left. */
let client: RealtimeClient | undefined;
/** Resolves when the last left channel is gone. */
let leaving: Promise<unknown> = Promise.resolve();

/** Doubles with each attempt. The random part spreads the browsers of an office after a restart of the server. */
function reconnectDelay(attempt: number): number {
  return Math.min(MIN_RECONNECT_MS * 2 ** (attempt - 1), MAX_RECONNECT_MS) * (0.5 + Math.random());
}

/** Subscribes to the changes of tables. Events contain only the key, because the page reads its queries again. */
export function followTables(tables: readonly string[], { onChange, onStatus }: TableListener): () => void {
  const leave = keepJoined((connection) => {
    const channel = connection.channel('tables');
    for (const table of tables) {
      const select = [KEY_COLUMNS[table] ?? 'id'];
      channel.on('postgres_changes', { event: '*', schema: 'public', table, select }, () => onChange(table));
    }
    return channel;
  }, onStatus);
  return () => {
    leave();
    onStatus(false);
  };
}

/** A member of a topic: a tab, with what its person does there. */
export type Presence = Readonly<Record<string, unknown>>;

/** The membership in a topic of the office. */
export type PresenceMembership = {
  /** Announces what the person does, or with null that the person does nothing. */
  announce: (presence: Presence | null) => void;
  leave: () => void;
};

/** Joins a topic of the office. `onChange` receives what its members announce, own announcements included. */
export function joinPresence(
  topic: `staff:${string}`,
  onChange: (members: readonly Presence[]) => void,
): PresenceMembership {
  let channel: RealtimeChannel | undefined;
  let announced: Presence | null = null;
  const send = () => {
    // Failures are not reported: a new announcement follows with the next change or the next join.
    void (announced === null ? channel?.untrack() : channel?.track(announced));
  };
  let isMember = false;
  const leave = keepJoined(
    (connection) => {
      const joining = connection.channel(topic, { config: { private: true, presence: { enabled: true } } });
      joining.on('presence', { event: 'sync' }, () =>
        onChange(Object.values(joining.presenceState()).flat()),
      );
      channel = joining;
      return joining;
    },
    (isJoined) => {
      isMember = isJoined;
      if (!isJoined) onChange([]);
      else if (announced !== null) send();
    },
  );
  return {
    announce(presence) {
      announced = presence;
      if (isMember) send();
    },
    leave,
  };
}

/** Joins a channel, and joins again after the server ends it. Returns a function that leaves. */
function keepJoined(
  create: (connection: RealtimeClient) => RealtimeChannel,
  onStatus: (isJoined: boolean) => void,
): () => void {
  client ??= new RealtimeClient(`${location.origin.replace(/^http/, 'ws')}/realtime/v1`, {
    params: { apikey: serverConfig().anon_key },
    accessToken: getAccessToken,
    reconnectAfterMs: reconnectDelay,
  });
  const connection = client;
  let isStopped = false;
  let attempt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let channel: RealtimeChannel | undefined;

  const join = async () => {
    // The client has one channel of a topic, which cannot be joined while it is left.
    await leaving;
    // The channel joins with the token of the person. Without a network the next attempt reads it.
    await connection.setAuth().catch(() => {});
    if (isStopped) return;
    channel = create(connection);
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
    if (channel) leaving = connection.removeChannel(channel).catch(() => {});
  };
}
