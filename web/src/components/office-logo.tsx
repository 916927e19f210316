// The logo of the office, or the mark of the product.
import { useEffect, useState } from 'react';

import { useServerConfig } from '~/hooks/use-server-config';
import { serverStatus } from '~/lib/api/server-status';
import { Logo } from '~/ui/logo';

/**
 * The office's logo stands on white, because logos are drawn for light grounds. `className` colors the mark, which is also
 * shown while the logo cannot be loaded.
 */
export function OfficeLogo({ size = 28, className }: { size?: number; className?: string }) {
  const { logo } = useServerConfig().office;
  const [isBroken, setIsBroken] = useState(false);
  useEffect(() => serverStatus.subscribe(() => setIsBroken(false)), []);
  if (logo === null || isBroken) return <Logo size={size} {...(className !== undefined && { className })} />;
  return (
    <img
      src={logo}
      alt=""
      height={size}
      onError={() => setIsBroken(true)}
      className="w-auto max-w-16 shrink-0 rounded bg-white object-contain p-1 sm:max-w-40"
      style={{ height: size + 8 }}
    />
  );
}
