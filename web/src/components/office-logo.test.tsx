// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest';

import { find, perform, render } from '~/testing/render';

import { OfficeLogo } from './office-logo';

const LOGO = '/office/logo.png?v=1';

vi.mock('~/hooks/use-server-config', () => ({ useServerConfig: () => ({ office: { logo: LOGO } }) }));

test('a logo that cannot be loaded gives way to the mark until the connection returns', async () => {
  await render(<OfficeLogo />);
  await perform(() => find('img').dispatchEvent(new Event('error')));
  expect(document.querySelector('img')).toBeNull();
  expect(find('svg')).toBeDefined();
  await perform(() => window.dispatchEvent(new Event('online')));
  expect(find('img').getAttribute('src')).toBe(LOGO);
});
