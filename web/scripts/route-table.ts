// Parses the route table in `src/routes.tsx`: the page module and the layouts of each route.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { type ESTree, parseSync } from 'vite';

export const web = path.join(import.meta.dirname, '..');

/** The groups of `patterns` in `src/paths.ts`. */
type Audience = 'signIn' | 'open' | 'client' | 'admin';

export type Screen = {
  audience: Audience;
  /** The name of the pattern in its group. */
  pattern: string;
  /** The module of the page, relative to `web`, as in the build manifest. */
  page: string;
  /** The modules of the layouts, outermost first. */
  layouts: string[];
};

const ROUTES = 'src/routes.tsx';
const AUDIENCES: readonly string[] = ['signIn', 'open', 'client', 'admin'] satisfies Audience[];

/** All screens of the route table. Throws for an unsupported route and for a group without screens. */
export function readScreens(): Screen[] {
  const source = readFileSync(path.join(web, ROUTES), 'utf8');
  const { program, errors } = parseSync(ROUTES, source);
  if (errors.length > 0) throw new Error(`${ROUTES} cannot be parsed: ${errors[0]?.message}`);
  const screens = program.body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration') return [];
    if (statement.declaration?.type !== 'VariableDeclaration') return [];
    return statement.declaration.declarations.flatMap(({ id, init }) =>
      id.type === 'Identifier' && id.name === 'routes' && init ? screensIn(init, []) : [],
    );
  });
  for (const audience of AUDIENCES) {
    if (!screens.some((screen) => screen.audience === audience)) {
      throw new Error(`${ROUTES} has no screen of the group ${audience}.`);
    }
  }
  return screens;
}

function screensIn(routes: ESTree.Expression, layouts: string[]): Screen[] {
  if (routes.type !== 'ArrayExpression') throw new Error(`${ROUTES}: routes must be an array literal.`);
  return routes.elements.flatMap((route) => {
    if (route?.type !== 'ObjectExpression') throw new Error(`${ROUTES}: a route must be an object literal.`);
    const property = (name: string) =>
      route.properties.find(
        (entry) => entry.type === 'Property' && entry.key.type === 'Identifier' && entry.key.name === name,
      );
    const [lazy, pattern, children] = ['lazy', 'path', 'children'].map((name) => {
      const found = property(name);
      return found?.type === 'Property' ? found.value : undefined;
    });
    const module = lazy && importedModule(lazy);
    if (children) return screensIn(children, module ? [...layouts, module] : layouts);
    // A route without a module loads nothing.
    if (!module) return [];
    return [{ ...patternOf(pattern), page: module, layouts }];
  });
}

/** The module of `() => import('~/…')`. */
function importedModule(lazy: ESTree.Expression): string {
  const source =
    lazy.type === 'ArrowFunctionExpression' && lazy.body.type === 'ImportExpression' && lazy.body.source;
  if (!source || source.type !== 'Literal' || typeof source.value !== 'string') {
    throw new Error(`${ROUTES}: lazy must be written as () => import('~/…').`);
  }
  return sourceFile(source.value.replace(/^~\//, ''));
}

/** The group and the name of a pattern such as `client.home`. */
function patternOf(pattern: ESTree.Expression | undefined): Pick<Screen, 'audience' | 'pattern'> {
  if (
    pattern?.type !== 'MemberExpression' ||
    pattern.object.type !== 'Identifier' ||
    pattern.property.type !== 'Identifier' ||
    !isAudience(pattern.object.name)
  ) {
    throw new Error(`${ROUTES}: the path of a screen must be a pattern of src/paths.ts.`);
  }
  return { audience: pattern.object.name, pattern: pattern.property.name };
}

function isAudience(name: string): name is Audience {
  return AUDIENCES.includes(name);
}

/** The file of a module of `src`, relative to `web`. Throws if it does not exist. */
export function sourceFile(module: string): string {
  const found = ['', '.ts', '.tsx']
    .map((extension) => `src/${module}${extension}`)
    .find((file) => /\.tsx?$/.test(file) && existsSync(path.join(web, file)));
  if (found === undefined) throw new Error(`src/${module} does not exist.`);
  return found;
}
