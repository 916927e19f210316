// The component gallery: `npm run gallery` serves it while it is edited, the browser tests build it. The production build
// does not know it.
import path from 'node:path';

import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

import { alias } from '../scripts/alias.ts';

export default defineConfig({
  root: import.meta.dirname,
  // The dev server of the app may run at the same time.
  cacheDir: path.join(import.meta.dirname, '../node_modules/.vite-gallery'),
  publicDir: path.join(import.meta.dirname, '../public'),
  plugins: [react(), tailwindcss()],
  resolve: { alias },
  build: { target: 'esnext', minify: false },
});
