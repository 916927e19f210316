// Month grid with the number of expiring documents on each day.
import { format, startOfMonth } from 'date-fns';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { createContext, use, useEffect, useMemo, useRef } from 'react';
import { DayPicker, type DayButtonProps } from 'react-day-picker';
import { ptBR } from 'react-day-picker/locale/pt-BR';

import type { ExpiringDocument } from '~/features/documents/api/documents';
import { useCurrentMinute } from '~/hooks/use-current-minute';
import { type Day, toDay, expiryOf, today } from '~/lib/dates';
import { holidayName } from '~/lib/days-off';
import { pluralize } from '~/lib/format';

type MonthCalendarProps = {
  /** First day of the visible month. */
  month: Day;
  onMonthChange: (month: Day) => void;
  selected: Day;
  onSelect: (day: Day) => void;
  expiries: readonly ExpiringDocument[];
};

/** Numbers of expiries for the day buttons, which the calendar library renders. */
const CountsContext = createContext<ReadonlyMap<Day, DayMarker>>(new Map());

const WEEKDAYS = ['Dom', 'Seg', 'Ter', 'Qua', 'Qui', 'Sex', 'Sáb'];

/** Month grid. Its cells are calendar days without a time zone. */
export function MonthCalendar({ month, onMonthChange, selected, onSelect, expiries }: MonthCalendarProps) {
  const minute = useCurrentMinute();
  // oxlint-disable-next-line react/exhaustive-deps -- the markers depend on the current minute.
  const counts = useMemo(() => countByDay(expiries), [expiries, minute]);
  const shown = toGridDate(month);
  return (
    <CountsContext value={counts}>
      <DayPicker
        mode="single"
        required
        locale={ptBR}
        weekStartsOn={0}
        showOutsideDays
        fixedWeeks
        month={shown}
        onMonthChange={(first) => onMonthChange(fromGridDate(startOfMonth(first)))}
        selected={toGridDate(selected)}
        onSelect={(day) => onSelect(fromGridDate(day))}
        today={toGridDate(today())}
        modifiers={{
          holiday: (day) => holidayName(fromGridDate(day)) !== undefined,
          due: (day) => day.getMonth() === shown.getMonth() && counts.has(fromGridDate(day)),
          overdue: (day) =>
            day.getMonth() === shown.getMonth() && (counts.get(fromGridDate(day))?.expired ?? false),
        }}
        modifiersClassNames={{ holiday: 'is-holiday', due: 'is-due', overdue: 'is-overdue' }}
        formatters={{
          formatWeekdayName: (day) => WEEKDAYS[day.getDay()] ?? '',
          formatCaption: nameOfMonth,
        }}
        labels={{
          labelNext: () => 'Próximo mês',
          labelPrevious: () => 'Mês anterior',
          labelNav: () => 'Mudar de mês',
          labelGrid: nameOfMonth,
          labelDayButton: (day, modifiers) => {
            const count = counts.get(fromGridDate(day))?.count ?? 0;
            return [
              // The same format as the cell, without a leading zero. The weekdays above the grid are not read aloud.
              format(day, "EEEE, d 'de' MMMM 'de' yyyy", { locale: ptBR }),
              modifiers['today'] && 'hoje',
              count > 0 && pluralize(count, 'vencimento', 'vencimentos'),
              modifiers['holiday'] && `feriado: ${holidayName(fromGridDate(day))}`,
            ]
              .filter(Boolean)
              .join(', ');
          },
        }}
        components={{ Chevron, DayButton }}
        // Markers and the selected day are background colors, which browsers omit in print by default.
        className="border-border bg-card rounded border p-3 [print-color-adjust:exact] sm:p-5"
        classNames={{
          months: 'relative',
          month: 'w-full',
          nav: 'print:hidden absolute top-0 right-0 flex gap-1',
          button_previous: NAV_BUTTON,
          button_next: NAV_BUTTON,
          month_caption: 'flex h-11 items-center pl-2',
          caption_label: 'text-lg font-semibold tracking-tight',
          month_grid: 'mt-3 w-full table-fixed border-collapse',
          weekday: 'h-10 text-caption font-medium text-muted-foreground',
          day: 'group p-0.5 text-center',
          day_button: DAY_BUTTON,
          outside: 'is-outside',
          today: 'is-today',
          selected: 'is-selected',
        }}
      />
    </CountsContext>
  );
}

/**
 * Days of adjacent months cannot be selected, but they stay enabled for the calendar library, so that the arrow keys
 * move from month to month.
 */
function DayButton({ day, modifiers, ...rest }: DayButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const count = use(CountsContext).get(fromGridDate(day.date))?.count;
  useEffect(() => {
    if (modifiers['focused']) button.current?.focus();
  }, [modifiers]);
  return <button ref={button} type="button" {...rest} data-count={count} disabled={day.outside} />;
}

function Chevron({ orientation }: { orientation?: string }) {
  return orientation === 'left' ? (
    <ChevronLeft size={22} aria-hidden />
  ) : (
    <ChevronRight size={22} aria-hidden />
  );
}

const NAV_BUTTON =
  'touch-target inline-flex items-center justify-center rounded text-muted-foreground transition-colors hover:bg-muted hover:text-foreground';

const DAY_BUTTON = [
  'tabular-nums relative mx-auto flex h-11 w-full flex-col items-center justify-center rounded leading-5 transition-colors hover:bg-muted sm:h-16 sm:gap-0.5',
  'group-[.is-outside]:cursor-default group-[.is-outside]:text-muted-foreground group-[.is-outside]:opacity-50 group-[.is-outside]:hover:bg-transparent',
  'group-[.is-today]:font-semibold group-[.is-today]:ring-1 group-[.is-today]:ring-primary group-[.is-today]:ring-inset group-[.is-today:not(.is-selected)]:text-primary',
  // A dot above the number, or on a phone beside that of a due day, which stands higher. The label of the button names
  // the holiday.
  'group-[.is-holiday]:before:absolute group-[.is-holiday]:before:top-1 group-[.is-holiday]:before:size-1 group-[.is-holiday]:before:rounded-full group-[.is-holiday]:before:bg-current sm:group-[.is-holiday]:before:top-2 max-sm:group-[.is-holiday.is-due]:before:right-1.5',
  'group-[.is-due]:font-semibold',
  // The number of expiries under the day: amber, or red after the expiry of one that is not paid. The label of the button names it too.
  'group-[.is-due]:after:content-[attr(data-count)] group-[.is-due]:after:min-w-4 group-[.is-due]:after:rounded-full group-[.is-due]:after:px-1 group-[.is-due]:after:text-[0.6875rem] group-[.is-due]:after:leading-4 sm:group-[.is-due]:after:min-w-5 sm:group-[.is-due]:after:text-xs sm:group-[.is-due]:after:leading-5',
  'group-[.is-due]:after:bg-warning-subtle group-[.is-due]:after:text-warning group-[.is-overdue]:after:bg-danger-subtle group-[.is-overdue]:after:text-danger',
  'group-[.is-selected]:bg-primary group-[.is-selected]:text-primary-foreground group-[.is-selected]:hover:bg-primary-hover',
  'group-[.is-selected.is-due]:after:bg-primary-foreground group-[.is-selected.is-due]:after:text-primary',
].join(' ');

type DayMarker = { count: number; expired: boolean };

function countByDay(expiries: readonly ExpiringDocument[]): Map<Day, DayMarker> {
  const days = new Map<Day, DayMarker>();
  for (const { expires_at, document_payments: payments } of expiries) {
    if (!expires_at) continue;
    const day = toDay(expires_at);
    const { count, expired } = days.get(day) ?? { count: 0, expired: false };
    const isOverdue = payments.length === 0 && expiryOf(expires_at) === 'expired';
    days.set(day, { count: count + 1, expired: expired || isOverdue });
  }
  return days;
}

/** Grid cell of a calendar day, at noon, so that a daylight saving change does not shift the day. */
function toGridDate(day: Day): Date {
  return new Date(`${day}T12:00:00`);
}

/** Calendar day of a grid cell. */
function fromGridDate(date: Date): Day {
  return format(date, 'yyyy-MM-dd');
}

function nameOfMonth(month: Date): string {
  const name = format(month, "MMMM 'de' yyyy", { locale: ptBR });
  return name.charAt(0).toUpperCase() + name.slice(1);
}
