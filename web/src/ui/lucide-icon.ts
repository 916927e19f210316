// The component of every icon. The build puts it in place of the one of lucide-react, which has more options than the
// app uses (1.3 kB).
import { createElement, type SVGProps } from 'react';

type IconData = { name: string; node: [tag: string, attributes: Record<string, string>][] };
type IconProps = SVGProps<SVGSVGElement> & { size?: number };

// oxlint-disable-next-line import/no-default-export -- the module that it replaces has one.
export default function createLucideIcon({ name, node }: IconData) {
  return function LucideIcon({ size = 24, className = '', ...props }: IconProps) {
    return createElement(
      'svg',
      {
        width: size,
        height: size,
        viewBox: '0 0 24 24',
        fill: 'none',
        stroke: 'currentColor',
        strokeWidth: 2,
        strokeLinecap: 'round',
        strokeLinejoin: 'round',
        className: `lucide lucide-${name} ${className}`,
        'aria-hidden': !props['aria-label'],
        ...props,
      },
      node.map(([tag, attributes]) => createElement(tag, attributes)),
    );
  };
}
