// Components that are loaded on demand, but early enough.
import { type ComponentType, lazy, useState } from 'react';

/**
 * Like React's `lazy`, with `preload` for the loader of a page. A preloaded component is rendered at once. React's `lazy`
 * shows the fallback for about 300 ms even if the module is loaded, and then moves the content below it.
 */
export function lazyWithPreload<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let Loaded: ComponentType<Props> | undefined;
  const preload = async () => (Loaded ??= await load());
  const Lazy = lazy(async () => ({ default: await preload() }));
  function Preloadable(props: Props) {
    // Kept, because another type of component would mount it anew.
    const [Component] = useState(() => Loaded ?? Lazy);
    return <Component {...props} />;
  }
  return Object.assign(Preloadable, { preload });
}
