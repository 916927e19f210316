// Leaves out functions of libraries that the app never calls and that bundlers cannot remove, because the library
// itself refers to them. It replaces their bodies, so all that only they need goes too.
import path from 'node:path';

import { parseSync, type Plugin, type ESTree } from 'vite';

const ROUTER = 'react-router/dist/production/lib';

/** Functions that the app never calls, by module below `node_modules`. */
const UNUSED: Record<string, readonly string[]> = {
  'react-dom/cjs/react-dom-client.production.js': [
    // Hydration of pages that a server rendered.
    'canHydrateHydrationBoundary',
    'canHydrateInstance',
    'canHydrateTextInstance',
    'clearHydrationBoundary',
    'hideOrUnhideDehydratedBoundary',
    'prepareToHydrateHostInstance',
    'queueIfContinuousEvent',
    'retryIfBlockedOn',
    'updateDehydratedSuspenseComponent',
    // `<ViewTransition>`, `<Activity>`, `<SuspenseList>` and refs of fragments.
    'applyViewTransitionToHostInstancesRecursive',
    'commitDeletedPairViewTransitions',
    'commitNewChildToFragmentInstance',
    'cutOffTailIfNeeded',
    'deleteChildFromFragmentInstance',
    'measureViewTransitionHostInstancesRecursive',
    'restoreViewTransitionName',
    'startViewTransition',
    'updateActivityComponent',
    'updateSuspenseListComponent',
    'validateDocumentPositionWithFiberTree',
    // Functions as the `action` of a form, and `useActionState`.
    'mountActionState',
    'recursivelyResetForms',
    'rerenderActionState',
    'runActionStateAction',
    'startHostTransition',
    'updateActionStateImpl',
    // `preload`, `preinit` and `preconnect` of react-dom.
    'preconnectAs',
    'preinitModuleScript',
    'preinitScript',
    'preinitStyle',
    'preload',
    'preloadModule',
  ],
  [`${ROUTER}/router/router.js`]: [
    // Submissions to the `action` of a route, and fetchers.
    'fetch',
    'handleAction',
    'handleFetcherAction',
    'handleFetcherLoader',
    // Routes that are added later.
    '_internalSetRoutes',
    'discoverRoutes',
    'patchRoutes',
  ],
  [`${ROUTER}/router/instrumentation.js`]: ['getRouteInstrumentationUpdates', 'instrumentClientSideRouter'],
  // `<Form>`, and the state of pages that a server rendered.
  [`${ROUTER}/dom/lib.js`]: ['deserializeErrors', 'useFormAction', 'useSubmit'],
  // `prefetch` of `<Link>`, which works with a server of the framework only.
  [`${ROUTER}/dom/ssr/components.js`]: ['PrefetchPageLinks'],
  // Use outside of a data router, and React Server Components.
  [`${ROUTER}/hooks.js`]: ['RSCErrorHandler', 'useNavigateUnstable'],
};

/** Throws at build time if a function does not exist, and at run time if it is called. */
export function omitUnusedFunctions(): Plugin {
  const pending = new Set(Object.keys(UNUSED));
  return {
    name: 'omit-unused-functions',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      const module = id.split(`${path.sep}node_modules${path.sep}`).at(-1) ?? '';
      const names = UNUSED[module];
      if (!names) return null;
      pending.delete(module);
      return replaceBodies(code, names, module);
    },
    buildEnd() {
      if (pending.size > 0) throw new Error(`Not in the build: ${[...pending].join(', ')}`);
    },
  };
}

function isFunctionDeclaration(node: object): node is ESTree.Function {
  return 'type' in node && node.type === 'FunctionDeclaration';
}

function replaceBodies(code: string, names: readonly string[], module: string): string {
  const { program } = parseSync(module, code);
  const bodies = new Map<string, { start: number; end: number }>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    if (isFunctionDeclaration(node) && node.id && node.body && names.includes(node.id.name)) {
      bodies.set(node.id.name, node.body);
    } else {
      Object.values(node).forEach(visit);
    }
  };
  visit(program);
  const missing = names.filter((name) => !bodies.has(name));
  if (missing.length > 0) throw new Error(`${module} has no function ${missing.join(', ')}.`);
  return [...bodies]
    .toSorted(([, one], [, other]) => other.start - one.start)
    .reduce(
      (text, [name, { start, end }]) =>
        `${text.slice(0, start)}{ throw new Error('${name} is not in the build.'); }${text.slice(end)}`,
      code,
    );
}
