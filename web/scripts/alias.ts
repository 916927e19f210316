// Module names that the builds of the app and of the component gallery replace.
import path from 'node:path';

const src = path.join(import.meta.dirname, '../src');

export const alias = [
  { find: '~', replacement: src },
  { find: /.*\/createLucideIcon\.mjs$/, replacement: path.join(src, 'ui/lucide-icon.ts') },
];
