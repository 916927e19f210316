// Build configuration: chunks, the files of pdf.js, the development proxy and the unit tests.
import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

import { alias } from './scripts/alias.ts';
import { guide } from './scripts/guide.ts';
import { omitIconKeys } from './scripts/icon-keys.ts';
import { translateLibraryTexts } from './scripts/library-texts.ts';
import { minifyAgain } from './scripts/minify-again.ts';
import { readScreens, sourceFile } from './scripts/route-table.ts';
import { omitUnusedFunctions } from './scripts/unused-functions.ts';

const root = import.meta.dirname;
const server = 'http://127.0.0.1:8080';
/** Folder of the chunks that only the back office loads. */
const ADMIN_CHUNKS = 'assets/admin/';
/** Chunks for which no page waits, or that are seldom loaded. */
const LOADED_LATER = /\/(?:portal-tools|follow-lists|data-time|offline-note|queued-tickets|queue-ticket)-/;
/** Chunks that the entry chunk imports, which no later chunk has to preload. */
const LOADED_FIRST = /\/(?:rolldown-runtime|vendor|base)-/;

/** Returns a test for modules of `src`. A module that does not exist fails the build. */
function modules(...names: string[]) {
  const files = new Set(names.map((name) => path.join(root, sourceFile(name))));
  return (id: string) => files.has(id);
}

// Modules that every page needs form two chunks, and so do those of forms and sign-in. Those of most pages of the client
// area form one. Fewer files compress better and need fewer round trips. Third-party code is separate, so it stays cached
// when only the app changes.
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
  'lib/when-idle',
  'hooks/use-api-mutation',
  'hooks/use-server-config',
  'ui/button',
  'ui/card',
  'ui/cn',
  'ui/field',
  'ui/icon-button',
  'ui/input',
  'ui/logo',
  'ui/lucide-icon',
  'ui/password-input',
  'ui/search-input',
  'ui/alert',
  'components/button-link',
  'components/office-logo',
  'components/page-header',
  'components/text-link',
  'ui/spinner',
);
const isForms = modules('hooks/use-zod-form', 'components/form-fields');
const isPortal = modules(
  'components/query-content',
  'components/query-list',
  'features/documents/api/documents',
  'features/documents/components/expiry-label',
  'features/tickets/api/tickets',
  'features/tickets/components/ticket-status-badge',
  'hooks/use-current-minute',
  'hooks/use-debounced-value',
  'lib/api/postgrest',
  'lib/dates',
  'lib/format',
  'ui/badge',
  'ui/empty-state',
  'ui/error-state',
  'ui/file-icon',
  'ui/skeleton',
  'ui/theme-switch',
);
const chunkGroups = [
  {
    name: 'vendor',
    test: /node_modules\/(?:react|react-dom|scheduler|react-router|@tanstack\/(?:react-query|query-core))\//,
  },
  { name: 'base', test: isBase },
  { name: 'schemas', test: /node_modules\/zod\// },
  { name: 'forms', test: (id: string) => isForms(id) || id.includes('node_modules/react-hook-form/') },
  { name: 'files', test: modules('features/documents/api/files', 'lib/files/download-blob') },
  { name: 'sign-in', test: modules('features/auth/auth-layout', 'features/auth/sign-in-form') },
  {
    name: 'portal',
    test: (id: string) =>
      isPortal(id) ||
      /lucide-react.*\/(?:arrow-right|calendar-days|chevron-down|download|folder-open|message-square-text|plus)\./.test(
        id,
      ),
  },
];

/**
 * Names the chunks, and fails the build if a chunk group is empty. A chunk belongs to the back office if its module is
 * reachable only through pages of the back office.
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
            // The entry chunk contains the file names of all pages, so names and hashes are short.
            entryFileNames: 'assets/[name]-[hash:7].js',
            chunkFileNames: ({ facadeModuleId, name }) =>
              `${facadeModuleId && !shared.has(facadeModuleId) ? ADMIN_CHUNKS : 'assets/'}${name.replace(/-page$/, '')}-[hash:7].js`,
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
 * Copies the files that pdf.js loads by name at run time: character maps, standard fonts and decoders. The folder name
 * contains the version, so browsers can cache the files indefinitely.
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

export default defineConfig({
  root,
  plugins: [
    react(),
    tailwindcss(),
    guide(),
    pdfjsFiles(),
    omitIconKeys(),
    omitUnusedFunctions(),
    translateLibraryTexts(),
    namedChunks(),
    minifyAgain({ except: ADMIN_CHUNKS }),
  ],
  resolve: { alias },
  build: {
    target: ['chrome125', 'firefox128', 'safari18'],
    // Source maps would double the size of the assets in the binary.
    sourcemap: false,
    // The build scripts read the manifest. The last script deletes it.
    manifest: true,
    // All target browsers support module preloading natively.
    modulePreload: {
      polyfill: false,
      // The entry chunk contains the names of preloaded chunks. Without those of the back office, and of what no page
      // waits for, it is smaller.
      resolveDependencies: (file, dependencies) =>
        file.startsWith(ADMIN_CHUNKS) || LOADED_LATER.test(file)
          ? []
          : dependencies.filter((dependency) => !LOADED_FIRST.test(dependency)),
    },
    assetsInlineLimit: 0,
  },
  // Modules, so that a worker loads the reader of a format when it needs it.
  worker: { format: 'es' },
  server: {
    proxy: {
      '/realtime/v1': { target: server, ws: true },
      ...Object.fromEntries(
        [
          '/auth/v1',
          '/rest/v1',
          '/storage/v1',
          '/account/v1',
          '/calendario',
          '/cancelar-avisos',
          '/config.json',
          '/manifest.webmanifest',
          '/office/',
          '/setup',
        ].map((prefix) => [prefix, server]),
      ),
    },
  },
  test: { include: ['src/**/*.test.{ts,tsx}', '{gallery,scripts}/*.test.ts'], environment: 'node' },
});
