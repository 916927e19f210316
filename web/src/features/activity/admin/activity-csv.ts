// CSV export of the activity table.
import {
  actorKindLabel,
  actorLabel,
  detailLabel,
  eventLabel,
  subjectLabel,
} from '~/features/activity/activity-labels';
import type { ActivityEntry } from '~/features/activity/api';
import { toCsvBlob } from '~/lib/csv';
import { formatSpreadsheetTime } from '~/lib/dates';

const HEADER = ['Número', 'Quando', 'Quem', 'Papel', 'O que aconteceu', 'Sobre', 'Pessoa', 'Detalhes'];

export function activityCsv(lines: readonly ActivityEntry[]): Blob {
  return toCsvBlob([HEADER, ...lines.map(rowOf)]);
}

function rowOf(line: ActivityEntry): string[] {
  return [
    String(line.number),
    formatSpreadsheetTime(line.created_at),
    actorLabel(line),
    actorKindLabel(line),
    eventLabel(line),
    subjectLabel(line) ?? '',
    line.person_name ?? '',
    detailLabel(line),
  ];
}
