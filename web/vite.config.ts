import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

import { readScreens, sourceFile } from './scripts/route-table.ts';

const root = import.meta.dirname;
const server = 'http://127.0.0.1:8080';
/** Folder for the chunks that only the back office loads. */
const ADMIN_CHUNKS = 'assets/admin/';

/** Matches these modules of `src`. A module that does not exist fails the build. */
function modules(...names: string[]) {
  const files = new Set(names.map((name) => path.join(root, sourceFile(name))));
  return (id: string) => files.has(id);
}

// What every page needs, in two files, and so what forms and signing in need: it compresses better, and on a slow
// network each further file costs a round trip. What is others' stays cached when only ours changes.
const isBase = modules(
  'features/auth/session',
  'lib/hash-params',
  'lib/normalize-password',
  'lib/api/server-config',
  'lib/api/server-status',
  'lib/api/error-messages',
  'lib/api/errors',
  'lib/api/query-client',
  'lib/api/supabase',
  'lib/toast',
  'hooks/use-api-mutation',
  'ui/button',
  'ui/card',
  'ui/cn',
  'ui/field',
  'ui/icon-button',
  'ui/input',
  'ui/logo',
  'ui/password-input',
  'ui/search-input',
  'ui/alert',
  'components/button-link',
  'components/page-header',
  'components/text-link',
  'ui/spinner',
);
const isForms = modules('hooks/use-zod-form', 'lib/validation', 'components/form-fields');
const chunkGroups = [
  {
    name: 'vendor',
    test: /node_modules\/(?:react|react-dom|scheduler|react-router|@tanstack|@supabase\/auth-js)\//,
  },
  { name: 'base', test: (id: string) => isBase(id) || id.includes('createLucideIcon') },
  { name: 'schemas', test: /node_modules\/zod\// },
  { name: 'forms', test: (id: string) => isForms(id) || id.includes('node_modules/react-hook-form/') },
  { name: 'sign-in', test: modules('features/auth/auth-layout', 'features/auth/sign-in-form') },
  { name: 'states', test: modules('ui/empty-state', 'ui/error-state', 'components/query-content') },
];

/**
 * Names chunks, and fails the build when a chunk group matched nothing. A chunk belongs to the back office when its
 * module cannot be reached without passing through a page of the back office.
 */
function namedChunks(): Plugin {
  const adminPages = new Set(
    readScreens().flatMap(({ audience, page }) => (audience === 'admin' ? [path.join(root, page)] : [])),
  );
  const shared = new Set<string>();
  return {
    name: 'named-chunks',
    apply: 'build',
    config: () => ({
      build: {
        rolldownOptions: {
          output: {
            codeSplitting: { groups: chunkGroups },
            // The names of all pages are in everybody's first load, so they are short.
            chunkFileNames: ({ facadeModuleId, name }) =>
              `${facadeModuleId && !shared.has(facadeModuleId) ? ADMIN_CHUNKS : 'assets/'}${name.replace(/-page$/, '')}-[hash].js`,
          },
        },
      },
    }),
    buildEnd() {
      const visit = (id: string) => {
        if (shared.has(id) || adminPages.has(id)) return;
        shared.add(id);
        const info = this.getModuleInfo(id);
        info?.importedIds.forEach(visit);
        info?.dynamicallyImportedIds.forEach(visit);
      };
      for (const id of this.getModuleIds()) if (this.getModuleInfo(id)?.isEntry) visit(id);
    },
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
      const missing = chunkGroups.filter(({ name }) => !chunks.some((chunk) => chunk.name === name));
      if (missing.length > 0) throw new Error(`No chunk: ${missing.map(({ name }) => name).join(', ')}`);
      if (!chunks.some(({ fileName }) => fileName.startsWith(ADMIN_CHUNKS))) {
        throw new Error('No chunk belongs to the back office.');
      }
    },
  };
}

/**
 * pdf.js loads character maps, the 14 standard fonts and its decoders by name while it reads a file.
 * They are copied as they are under a folder that carries the version, so they may be cached for ever.
 */
function pdfjsFiles(): Plugin {
  const require = createRequire(import.meta.url);
  const source = path.dirname(require.resolve('pdfjs-dist/package.json'));
  const { version }: { version: string } = require('pdfjs-dist/package.json');
  const base = `assets/pdfjs-${version}`;
  return {
    name: 'pdfjs-files',
    config: (_, { command }) => ({
      define: { PDFJS_FILES: JSON.stringify(command === 'build' ? `/${base}/` : `/@fs${source}/`) },
    }),
    async writeBundle({ dir = 'dist' }) {
      for (const folder of ['cmaps', 'standard_fonts', 'wasm', 'iccs']) {
        await cp(path.join(source, folder), path.join(dir, base, folder), { recursive: true });
      }
    },
  };
}

/**
 * The official client can also sign people in by passkey and by wallet, which this portal does not offer. Its class
 * holds on to both, so no bundler drops them: here they are left out, 3 kB of every first load.
 */
function withoutPasskeys(): Plugin {
  const left = {
    './lib/webauthn': [
      'createCredential',
      'deserializeCredentialCreationOptions',
      'deserializeCredentialRequestOptions',
      'getCredential',
      'serializeCredentialCreationResponse',
      'serializeCredentialRequestResponse',
      'browserSupportsWebAuthn',
      'webAuthnAbortService',
    ],
    './lib/web3/ethereum': ['createSiweMessage', 'fromHex', 'getAddress', 'toHex'],
  };
  const names = Object.values(left).flat();
  const ID = '\0without-passkeys';
  return {
    name: 'without-passkeys',
    apply: 'build',
    enforce: 'pre',
    resolveId: (source, importer) =>
      source in left && importer?.includes('/auth-js/dist/module/GoTrueClient') ? ID : null,
    load: (id) =>
      id === ID
        ? `export class WebAuthnApi {}
          const absent = () => { throw new Error('This portal signs nobody in by passkey or wallet.'); };
          export { ${names.map((name) => `absent as ${name}`).join(', ')} };`
        : null,
  };
}

export default defineConfig({
  root,
  plugins: [react(), tailwindcss(), pdfjsFiles(), withoutPasskeys(), namedChunks()],
  resolve: { alias: { '~': path.join(root, 'src') } },
  build: {
    target: ['chrome125', 'firefox128', 'safari18'],
    // Source maps would double what the binary carries, and nobody reads them from there.
    sourcemap: false,
    // For the scripts that follow the build; the last of them takes it away.
    manifest: true,
    // Every browser that the app is built for preloads modules by itself.
    modulePreload: {
      polyfill: false,
      // What is preloaded is named in everybody's first load; the back office finds what its screens need by itself.
      resolveDependencies: (file, dependencies) => (file.startsWith(ADMIN_CHUNKS) ? [] : dependencies),
    },
    assetsInlineLimit: 0,
  },
  server: {
    proxy: Object.fromEntries(
      [
        '/auth/v1',
        '/rest/v1',
        '/storage/v1',
        '/own/v1',
        '/calendario',
        '/cancelar-avisos',
        '/config.json',
        '/setup',
      ].map((prefix) => [prefix, server]),
    ),
  },
  test: { include: ['src/**/*.test.{ts,tsx}'], environment: 'node' },
});
