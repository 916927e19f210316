import { format, startOfMonth } from 'date-fns';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { DayPicker, type DayButtonProps } from 'react-day-picker';
import { ptBR } from 'react-day-picker/locale/pt-BR';

import type { ExpiringDocument } from '~/features/documents/api/documents';
import { useCurrentMinute } from '~/hooks/use-current-minute';
import { type Day, toDay, expiryOf, today } from '~/lib/dates';
import { pluralize } from '~/lib/format';

type MonthCalendarProps = {
  /** The first day of the month in view. */
  month: Day;
  onMonthChange: (month: Day) => void;
  selected: Day;
  onSelect: (day: Day) => void;
  expiries: readonly ExpiringDocument[];
};

const WEEKDAYS = ['Dom', 'Seg', 'Ter', 'Qua', 'Qui', 'Sex', 'Sáb'];

/** A month with its expiries marked. A square of the grid is a calendar day, so it is kept apart from any zone. */
export function MonthCalendar({ month, onMonthChange, selected, onSelect, expiries }: MonthCalendarProps) {
  const minute = useCurrentMinute();
  // oxlint-disable-next-line react/exhaustive-deps -- what was due has passed a minute later.
  const counts = useMemo(() => countByDay(expiries), [expiries, minute]);
  const shown = toGridDate(month);
  return (
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
        due: (day) => day.getMonth() === shown.getMonth() && counts.has(fromGridDate(day)),
        overdue: (day) =>
          day.getMonth() === shown.getMonth() && (counts.get(fromGridDate(day))?.expired ?? false),
      }}
      modifiersClassNames={{ due: 'is-due', overdue: 'is-overdue' }}
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
            // Without a leading zero, as the square itself shows it.
            format(day, "d 'de' MMMM 'de' yyyy", { locale: ptBR }),
            modifiers['today'] && 'hoje',
            count > 0 && pluralize(count, 'vencimento', 'vencimentos'),
          ]
            .filter(Boolean)
            .join(', ');
        },
      }}
      components={{ Chevron, DayButton }}
      // The dots and the chosen day are backgrounds, which paper is spared unless it is asked to bear them.
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
  );
}

/**
 * Days of the neighbouring months cannot be chosen. To the calendar they are days like any other, or else the arrow
 * keys could not lead from one month to the next.
 */
function DayButton({ day, modifiers, ...rest }: DayButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (modifiers['focused']) button.current?.focus();
  }, [modifiers]);
  return <button ref={button} type="button" {...rest} disabled={day.outside} />;
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

// The mark of a day with an expiry is a dot under its number: amber, or red once it has passed.
const DAY_BUTTON = [
  'tabular-nums relative mx-auto flex h-11 w-full items-center justify-center rounded transition-colors hover:bg-muted sm:h-16',
  'group-[.is-outside]:cursor-default group-[.is-outside]:text-muted-foreground group-[.is-outside]:opacity-50 group-[.is-outside]:hover:bg-transparent',
  'group-[.is-today]:font-semibold group-[.is-today]:ring-1 group-[.is-today]:ring-primary group-[.is-today]:ring-inset group-[.is-today:not(.is-selected)]:text-primary',
  'group-[.is-due]:font-semibold',
  'after:absolute after:bottom-1.5 after:size-1.5 after:rounded-full sm:after:bottom-3',
  'group-[.is-due]:after:bg-warning group-[.is-overdue]:after:bg-danger',
  'group-[.is-selected]:bg-primary group-[.is-selected]:text-primary-foreground group-[.is-selected]:hover:bg-primary-hover',
  'group-[.is-selected.is-due]:after:bg-primary-foreground',
].join(' ');

type DayMarker = { count: number; expired: boolean };

function countByDay(expiries: readonly ExpiringDocument[]): Map<Day, DayMarker> {
  const days = new Map<Day, DayMarker>();
  for (const { expires_at } of expiries) {
    if (!expires_at) continue;
    const day = toDay(expires_at);
    const { count, expired } = days.get(day) ?? { count: 0, expired: false };
    days.set(day, { count: count + 1, expired: expired || expiryOf(expires_at) === 'expired' });
  }
  return days;
}

/** The square of the grid for a calendar day, at noon so that no change of clocks moves it. */
function toGridDate(day: Day): Date {
  return new Date(`${day}T12:00:00`);
}

/** The calendar day of a square. */
function fromGridDate(date: Date): Day {
  return format(date, 'yyyy-MM-dd');
}

function nameOfMonth(month: Date): string {
  const name = format(month, "MMMM 'de' yyyy", { locale: ptBR });
  return name.charAt(0).toUpperCase() + name.slice(1);
}
