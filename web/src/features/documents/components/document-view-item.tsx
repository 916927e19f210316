// List item of a document view: opened or downloaded, with the time.
import { Download, Eye, Link2 } from 'lucide-react';
import type { ReactNode } from 'react';

import type { DocumentView } from '~/features/clients/api/client-records';
import { formatDateTime } from '~/lib/dates';

const actions = {
  opened: { word: 'Aberto', Icon: Eye },
  opened_by_link: { word: 'Aberto pelo link pessoal', Icon: Link2 },
  downloaded: { word: 'Baixado', Icon: Download },
} as const;

export function DocumentViewItem({ opening, children }: { opening: DocumentView; children?: ReactNode }) {
  const { word, Icon } = actions[opening.action];
  return (
    <div className="flex items-start gap-3">
      <Icon size={20} aria-hidden className="text-muted-foreground mt-0.5 shrink-0" />
      <div className="min-w-0">
        {children}
        <p className="text-muted-foreground text-sm tabular-nums">
          {word} em <time dateTime={opening.created_at}>{formatDateTime(opening.created_at)}</time>
        </p>
      </div>
    </div>
  );
}
