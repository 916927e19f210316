// Leaves out functions of libraries that the app never calls and that bundlers cannot remove, because the library
// itself refers to them. It replaces their bodies, so all that only they need goes too.
import path from 'node:path';

import { parseSync, type Plugin, type ESTree } from 'vite';

const ROUTER = 'react-router/dist/production/lib';

/** Functions that the app never calls, by module below `node_modules`. */
const UNUSED: Record<string, readonly string[]> = {
  'react-dom/cjs/react-dom-client.production.js': [
    // Hydration of pages that a server rendered.
    'attemptExplicitHydrationTarget',
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
    // Custom elements, `findDOMNode`, `useCacheRefresh`, and components that the React compiler made.
    'findCurrentFiberUsingSlowPath',
    'refreshCache',
    'setPropOnCustomElement',
    'useMemoCache',
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

/** Methods that the app never calls, by module below `node_modules`. */
const UNUSED_METHODS: Record<string, readonly string[]> = {
  '@supabase/postgrest-js/dist/index.mjs': [
    // Answers in other forms, and other preferences.
    'csv',
    'explain',
    'geojson',
    'maxAffected',
    'retry',
    'returns',
    'rollback',
    'schema',
    'stripNulls',
    // Filters.
    'containedBy',
    'contains',
    'ilikeAllOf',
    'ilikeAnyOf',
    'isDistinct',
    'like',
    'likeAllOf',
    'likeAnyOf',
    'match',
    'notIn',
    'overlaps',
    'rangeAdjacent',
    'rangeGt',
    'rangeGte',
    'rangeLt',
    'rangeLte',
    'regexMatch',
  ],
};

/**
 * Throws at build time if a function or method does not exist. At run time a call throws: functions have another body,
 * and methods are absent.
 */
export function omitUnusedFunctions(): Plugin {
  const pending = new Set([...Object.keys(UNUSED), ...Object.keys(UNUSED_METHODS)]);
  return {
    name: 'omit-unused-functions',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      const module = id.split(`${path.sep}node_modules${path.sep}`).at(-1) ?? '';
      const [functions = [], methods = []] = [UNUSED[module], UNUSED_METHODS[module]];
      if (functions.length + methods.length === 0) return null;
      pending.delete(module);
      return [...find(code, module, functions, functionBody), ...find(code, module, methods, method)]
        .toSorted((one, other) => other.start - one.start)
        .reduce((text, { start, end, by }) => text.slice(0, start) + by + text.slice(end), code);
    },
    buildEnd() {
      if (pending.size > 0) throw new Error(`Not in the build: ${[...pending].join(', ')}`);
    },
  };
}

type Edit = { name: string; start: number; end: number; by: string };

/** The edits that leave out all parts of a module with these names. */
function find(
  code: string,
  module: string,
  names: readonly string[],
  editOf: (node: object) => Edit | undefined,
): Edit[] {
  const edits: Edit[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    const edit = editOf(node);
    if (edit && names.includes(edit.name)) edits.push(edit);
    else Object.values(node).forEach(visit);
  };
  visit(parseSync(module, code).program);
  const missing = names.filter((name) => !edits.some((edit) => edit.name === name));
  if (missing.length > 0) throw new Error(`${module} has no function ${missing.join(', ')}.`);
  return edits;
}

function isFunction(node: object): node is ESTree.Function {
  return 'type' in node && node.type === 'FunctionDeclaration';
}

function functionBody(node: object): Edit | undefined {
  if (!isFunction(node) || !node.id || !node.body) return undefined;
  const { name } = node.id;
  const { start, end } = node.body;
  return { name, start, end, by: `{ throw new Error('${name} is not in the build.'); }` };
}

function isMethod(node: object): node is ESTree.MethodDefinition {
  return 'type' in node && node.type === 'MethodDefinition';
}

function method(node: object): Edit | undefined {
  if (!isMethod(node) || node.key.type !== 'Identifier') return undefined;
  const { start, end } = node;
  return { name: node.key.name, start, end, by: '' };
}
