// The search text of a list, kept in a URL parameter.
import { use, useEffect, useState } from 'react';
import {
  NavigationType,
  UNSAFE_DataRouterContext as DataRouterContext,
  useLocation,
  useNavigation,
  useNavigationType,
} from 'react-router';

import { useDebouncedValue } from './use-debounced-value';
import type { UrlParams } from './use-url-params';

type UrlSearch = {
  /** The text in the input. */
  typed: string;
  /** The text by which the list is searched. It follows the input after a pause. */
  search: string;
  setTyped: (text: string) => void;
};

/** The URL follows the typed text by replacement. Any other navigation resets the input. */
export function useUrlSearch(name: string, [params, setParam]: UrlParams): UrlSearch {
  const asked = params.get(name) ?? '';
  const [{ key }, navigation] = [useLocation(), useNavigationType()];
  const [input, setInput] = useState({ text: asked, key });
  if (input.key !== key && navigation !== NavigationType.Replace) setInput({ text: asked, key });
  const search = useDebouncedValue(input.text);
  // Writing the URL is a navigation too: it would end one to another page that is still loading. The router knows of a
  // navigation before `useNavigation` is rendered with it.
  const isIdle = useNavigation().state === 'idle';
  const router = use(DataRouterContext)?.router;
  useEffect(() => {
    if (!isIdle || router?.state.navigation.state !== 'idle') return;
    if (search === input.text && search !== asked) setParam(name, search);
  }, [isIdle, router, search, input.text, asked, name, setParam]);
  return { typed: input.text, search, setTyped: (text) => setInput({ text, key }) };
}
