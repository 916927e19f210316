// Presence of colleagues in the inbox, so that two people do not review one file.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';

import { useUser } from '~/features/auth/session';
import { staffQuery } from '~/features/staff/api';
import type { Presence, PresenceMembership } from '~/lib/api/realtime';
import { whenIdle } from '~/lib/when-idle';

/** The topic of the office for this presence. */
const TOPIC = 'staff:inbox';
/** Time for which a file is open before it is announced, because the keys step through many. Milliseconds. */
const ANNOUNCE_DELAY = 300;

/** Names of the colleagues who review a file, by its id. */
export type Reviewers = ReadonlyMap<string, readonly string[]>;

/** Announces the opened file, and returns who reviews which file. Without a websocket no one is known. */
export function useReviewPresence(openedId: string | null): Reviewers {
  const { id: me } = useUser();
  const [members, setMembers] = useState<readonly Presence[]>([]);
  const announce = useRef<(fileId: string | null) => void>(() => {});

  useEffect(() => {
    let isLeft = false;
    let opened: string | null = null;
    let membership: PresenceMembership | undefined;
    const join = async () => {
      const { joinPresence } = await import('~/lib/api/realtime');
      if (isLeft) return;
      membership = joinPresence(TOPIC, setMembers);
      membership.announce(toPresence(me, opened));
    };
    announce.current = (fileId) => {
      opened = fileId;
      membership?.announce(toPresence(me, fileId));
    };
    // Without a network the next visit of the page tries again.
    whenIdle(() => void join().catch(() => {}));
    return () => {
      isLeft = true;
      membership?.leave();
    };
  }, [me]);

  useEffect(() => {
    const timer = setTimeout(() => announce.current(openedId), ANNOUNCE_DELAY);
    return () => clearTimeout(timer);
  }, [openedId]);

  const others = members.filter(({ user }) => user !== me);
  // The names come from the server, because the content of a presence is the word of its sender.
  const staff = useQuery({ ...staffQuery(), enabled: others.length > 0 }).data ?? [];
  const reviewers = new Map<string, string[]>();
  for (const { id, name } of staff) {
    for (const { file } of others.filter(({ user }) => user === id)) {
      if (typeof file !== 'string') continue;
      const names = reviewers.get(file) ?? [];
      // A colleague may have opened the file in two tabs.
      reviewers.set(file, [...new Set([...names, name])]);
    }
  }
  return reviewers;
}

function toPresence(user: string, file: string | null): Presence | null {
  return file === null ? null : { user, file };
}
