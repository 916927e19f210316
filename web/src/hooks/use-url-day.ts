// A day that filters a list, kept in a URL parameter.
import { type ChangeEvent, useState } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router';

import { parseDay } from '~/lib/dates';
import { isIncomplete } from '~/lib/incomplete-input';

import type { UrlParams } from './use-url-params';

export type UrlDay = {
  /** The content of the field. It may be a date that is still being typed, such as `0002-11-15`. */
  typed: string;
  onChange: (event: ChangeEvent<HTMLInputElement>) => void;
  /** Empties the field, for a change of the URL that removes the parameter. */
  clear: () => void;
};

/**
 * The URL follows the field by replacement, when its date is complete or it is empty. Any other navigation resets the
 * field.
 */
export function useUrlDay(name: string, [params, setParam]: UrlParams): UrlDay {
  const day = parseDay(params.get(name)) ?? '';
  const [{ key }, navigation] = [useLocation(), useNavigationType()];
  const [input, setInput] = useState({ text: day, key });
  if (input.key !== key && navigation !== NavigationType.Replace) setInput({ text: day, key });
  return {
    typed: input.text,
    onChange({ target }) {
      setInput({ text: target.value, key });
      const isEmpty = target.value === '' && !isIncomplete(target);
      if (isEmpty || parseDay(target.value) !== undefined) setParam(name, target.value);
    },
    clear: () => setInput({ text: '', key }),
  };
}
