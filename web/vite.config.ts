import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const root = import.meta.dirname;
const server = 'http://127.0.0.1:8080';
/** Where the screens of the back office lie. */
const OFFICE = 'assets/admin/';

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
  plugins: [react(), tailwindcss(), pdfjsFiles(), withoutPasskeys()],
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
      resolveDependencies: (file, dependencies) => (file.startsWith(OFFICE) ? [] : dependencies),
    },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        chunkFileNames: ({ facadeModuleId }) =>
          `${facadeModuleId?.includes('/features/admin/') ? OFFICE : 'assets/'}[name]-[hash].js`,
        codeSplitting: {
          // What every page needs, in two files, and so what forms and signing in need: it compresses better, and on a slow
          // network each further file costs a round trip. What is others' stays cached when only ours changes.
          groups: [
            {
              name: 'vendor',
              test: /node_modules\/(?:react|react-dom|scheduler|react-router|@tanstack|@supabase\/auth-js)\//,
            },
            {
              name: 'base',
              test: /web\/src\/(?:data\/session|lib\/(?:composed|config|connection|errors|query|supabase|toast|use-action)|ui\/(?:brand|button|class-names|field|input|notice|page-header|spinner))\.|createLucideIcon/,
            },
            { name: 'schemas', test: /node_modules\/zod\// },
            {
              name: 'forms',
              test: /node_modules\/react-hook-form\/|web\/src\/lib\/(?:use-zod-form|validation)\./,
            },
            { name: 'sign-in', test: /web\/src\/features\/auth\/(?:auth-layout|sign-in-form)\./ },
          ],
        },
      },
    },
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
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
