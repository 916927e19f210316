// Components that are loaded on demand, but early enough.
import { type ComponentType, lazy } from 'react';

/**
 * Like `lazy` of React, with `preload` for the loader of a page. A component that was preloaded is rendered at once; the
 * one of React shows the fallback of its boundary first, for a third of a second, and then moves what is below it.
 */
export function lazyWithPreload<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let Loaded: ComponentType<Props> | undefined;
  const preload = async () => (Loaded ??= await load());
  const Lazy = lazy(async () => ({ default: await preload() }));
  const Preloadable = (props: Props) => (Loaded ? <Loaded {...props} /> : <Lazy {...props} />);
  return Object.assign(Preloadable, { preload });
}
