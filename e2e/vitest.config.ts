import { defineConfig } from 'vitest/config';

// Every test runs on SQLite. If a PostgreSQL server is set, it runs there too.
const postgres = process.env['TEST_POSTGRES'];
const databases = [
  { name: 'sqlite', env: {} },
  ...(postgres ? [{ name: 'postgres', env: { API_TEST_POSTGRES: postgres } }] : []),
];

export default defineConfig({
  test: {
    projects: databases.map(({ name, env }) => ({
      test: { name, env, include: ['api/**/*.test.ts'], testTimeout: 30_000, hookTimeout: 60_000 },
    })),
  },
});
