// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest';

import { find, perform, render } from '~/testing/render';

import { ToggleGroup } from './toggle-group';

test('a toggle group has a name, shows which button is pressed, and reports another choice only', async () => {
  const onChange = vi.fn<(value: 'open' | null) => void>();
  await render(
    <ToggleGroup
      label="Filtrar por status"
      value={null}
      options={[
        { value: null, label: 'Todos' },
        { value: 'open', label: 'Abertos' },
      ]}
      onChange={onChange}
    />,
  );
  expect(find('[role=group]').getAttribute('aria-label')).toBe('Filtrar por status');
  expect(find('[aria-pressed=true]').textContent).toBe('Todos');
  await perform(() => find('button', 'Todos').click());
  expect(onChange).not.toHaveBeenCalled();
  await perform(() => find('button', 'Abertos').click());
  expect(onChange).toHaveBeenCalledExactlyOnceWith('open');
});
