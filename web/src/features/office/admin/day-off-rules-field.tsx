// The rules for due dates on days off, by the kind of document.
import { CATEGORY_NAMES } from '~/features/documents/category-names';
import type { DayOffChoices } from '~/lib/api/database';
import { dayOffRule } from '~/lib/days-off';
import { Field } from '~/ui/field';
import { Select, toOptions } from '~/ui/select';

import { parseDayOffChoices } from './settings-values';

/** The kinds of documents that the server accepts. */
const CATEGORIES = ['das', 'darf', 'gps', 'fgts', 'dae', 'iss', 'gnre', 'ipva', 'iptu', 'boleto'];

export const dayOffLabels = { earlier: 'Antecipa', later: 'Prorroga', unknown: 'Sem regra' } as const;

type DayOffRulesFieldProps = {
  /** JSON of the office's choices. Other kinds have the server's rule. */
  value: string;
  onChange: (value: string) => void;
};

export function DayOffRulesField({ value, onChange }: DayOffRulesFieldProps) {
  const choices = parseDayOffChoices(value);
  const choose = (category: string, option: string) => {
    const choice = option === 'earlier' || option === 'later' ? option : null;
    onChange(JSON.stringify({ ...choices, [category]: choice } satisfies DayOffChoices));
  };
  return (
    <div className="grid grid-cols-2 gap-x-4 gap-y-5 sm:grid-cols-3 lg:grid-cols-5">
      {CATEGORIES.map((category) => (
        <Field key={category} label={CATEGORY_NAMES[category] ?? category}>
          {(control) => (
            <Select
              {...control}
              options={toOptions(dayOffLabels)}
              value={(category in choices ? choices[category] : dayOffRule(category)) ?? 'unknown'}
              onChange={({ target }) => choose(category, target.value)}
            />
          )}
        </Field>
      ))}
    </div>
  );
}
