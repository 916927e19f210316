import { describe, expect, test } from 'vitest';

import { resolveRedirect, type Visitor } from './access-rules';

type Row = [visitor: Visitor, pathname: string, to: string | null, from?: string | null];

function check(rows: Row[]) {
  test.each(rows)('%s at %s goes to %s (from %s)', (visitor, pathname, to, from = null) => {
    expect(resolveRedirect(visitor, pathname, from)?.to ?? null).toBe(to);
  });
}

const clientPages = [
  '/',
  '/tickets',
  '/tickets/new',
  '/tickets/0192d3a4',
  '/documents',
  '/documents/contratos',
  '/documents/view/0192d3a4',
  '/calendar',
];

const adminPages = [
  '/admin/dashboard',
  '/admin/clients',
  '/admin/clients/new',
  '/admin/clients/edit/0192d3a4',
  '/admin/documents',
  '/admin/documents/upload',
  '/docs',
];

const signInPages = ['/login', '/recuperar-senha', '/admin/login'];
const openPages = ['/atualizar-senha', '/confirmar-email', '/primeiro-acesso'];

describe('allowed pages are not redirected', () => {
  check([
    ...clientPages.map((page): Row => ['client', page, null]),
    ...adminPages.map((page): Row => ['admin', page, null]),
    ...signInPages.map((page): Row => ['guest', page, null]),
    ...openPages.flatMap((page): Row[] => [
      ['guest', page, null],
      ['client', page, null],
      ['admin', page, null],
    ]),
  ]);
});

describe('guests are redirected to the sign-in page of the area', () => {
  check([
    ...clientPages.map((page): Row => ['guest', page, '/login']),
    ...adminPages.map((page): Row => ['guest', page, '/admin/login']),
  ]);

  test.each([...clientPages, ...adminPages])('%s is remembered', (page) => {
    expect(resolveRedirect('guest', page)?.remember).toBe(true);
  });
});

describe('users are redirected from the other area to their own', () => {
  check([
    ...clientPages.map((page): Row => ['admin', page, '/admin/dashboard']),
    ...adminPages.map((page): Row => ['client', page, '/']),
  ]);
});

describe('users are redirected to the same page of the guide in their own area', () => {
  check([
    ['admin', '/ajuda', '/admin/ajuda'],
    ['admin', '/ajuda/pagar-uma-guia', '/admin/ajuda/pagar-uma-guia'],
    ['client', '/admin/ajuda/pagar-uma-guia', '/ajuda/pagar-uma-guia'],
    ['client', '/ajuda/pagar-uma-guia', null],
    ['guest', '/ajuda', '/login'],
    ['guest', '/admin/ajuda', '/admin/login'],
  ]);
});

describe('sign-in pages redirect signed-in users to the remembered page or their area', () => {
  check(
    signInPages.flatMap((page): Row[] => [
      ['client', page, '/'],
      ['admin', page, '/admin/dashboard'],
      ['client', page, '/documents/view/7', '/documents/view/7'],
      ['admin', page, '/admin/clients/edit/7', '/admin/clients/edit/7'],
    ]),
  );
});

describe('users with a pending MFA code may only open the sign-in page of their area', () => {
  check([
    ['admin-mfa', '/admin/login', null],
    ['client-mfa', '/login', null],
    ...openPages.flatMap((page): Row[] => [
      ['admin-mfa', page, null],
      ['client-mfa', page, null],
    ]),
    ...['/login', '/recuperar-senha', ...clientPages, ...adminPages].map((page): Row => [
      'admin-mfa',
      page,
      '/admin/login',
    ]),
    ...['/admin/login', '/recuperar-senha', ...clientPages, ...adminPages].map((page): Row => [
      'client-mfa',
      page,
      '/login',
    ]),
  ]);

  test.each(adminPages)('%s is remembered for an administrator alone', (page) => {
    expect(resolveRedirect('admin-mfa', page)?.remember).toBe(true);
    expect(resolveRedirect('client-mfa', page)?.remember).toBe(false);
  });

  test.each(clientPages)('%s is remembered for a client alone', (page) => {
    expect(resolveRedirect('client-mfa', page)?.remember).toBe(true);
    expect(resolveRedirect('admin-mfa', page)?.remember).toBe(false);
  });
});

describe('administrators without required MFA may only open the security page', () => {
  check([
    ['mfa-setup', '/admin/security', null],
    ...openPages.map((page): Row => ['mfa-setup', page, null]),
    ...[...signInPages, ...clientPages, ...adminPages].map((page): Row => [
      'mfa-setup',
      page,
      '/admin/security',
      '/admin/clients',
    ]),
  ]);
});

describe('users who must choose a password are redirected to that page', () => {
  check([
    ...openPages.map((page): Row => ['new-password', page, null]),
    ...[...signInPages, ...clientPages, ...adminPages].map((page): Row => [
      'new-password',
      page,
      '/atualizar-senha',
    ]),
  ]);
});

describe('remembered pages are opened with their query and section', () => {
  check([
    ['admin', '/admin/login', '/admin/clients?q=ana&pagina=2', '/admin/clients?q=ana&pagina=2'],
    ['client', '/login', '/tickets/new?documento=7', '/tickets/new?documento=7'],
    ['client', '/login', '/', '/admin/clients?de=/tickets'],
    ['admin', '/admin/login', '/admin/security#avisos', '/admin/security#avisos'],
  ]);
});

describe('remembered pages of another host or area are ignored', () => {
  check([
    ['client', '/login', '/', '/admin/clients'],
    ['admin', '/login', '/admin/dashboard', '/documents'],
    ['client', '/login', '/', '//evil.example/documents'],
    ['client', '/login', '/', '/\\evil.example'],
    ['client', '/login', '/', 'https://evil.example/documents'],
    ['client', '/login', '/', 'javascript:alert(1)'],
    ['client', '/login', '/', 'documents'],
    ['client', '/login', '/', '/login'],
    ['client', '/login', '/', '/atualizar-senha'],
    ['client', '/login', '/', '/nowhere'],
    ['client', '/login', '/', ''],
  ]);
});

describe('unknown paths redirect to the first page of the area', () => {
  check(
    (['guest', 'client', 'admin'] as const).flatMap((visitor): Row[] => [
      [visitor, '/nowhere', '/'],
      [visitor, '/tickets/7/edit', '/'],
      [visitor, '/documents/a/b', '/'],
      [visitor, '/administrator', '/'],
      [visitor, '/admin', '/admin/dashboard'],
      [visitor, '/admin/', '/admin/dashboard'],
      [visitor, '/admin/nowhere', '/admin/dashboard'],
      [visitor, '/admin/clients/7', '/admin/dashboard'],
    ]),
  );
});
