import { ThemeSwitch } from '~/ui/theme-switch';

import { Example } from '../example';

export function Examples() {
  return (
    <Example title="With an icon">
      <ThemeSwitch
        className="touch-target flex items-center gap-3 self-start"
        iconClassName="text-muted-foreground"
      />
    </Example>
  );
}
