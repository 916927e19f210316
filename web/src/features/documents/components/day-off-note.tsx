// Note about a due date on a day without banking hours.
import { describeDueDate } from '~/lib/days-off';
import { cn } from '~/ui/cn';

type DayOffNoteProps = { expiresAt: string | null; category: string | null; className?: string };

/** Says until when to pay what is due on a day off. Empty for other due dates. */
export function DayOffNote({ expiresAt, category, className }: DayOffNoteProps) {
  const note = describeDueDate(expiresAt, category);
  return note === undefined ? null : <p className={cn('text-sm tabular-nums', className)}>{note}</p>;
}
