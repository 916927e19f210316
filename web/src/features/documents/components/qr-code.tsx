// QR code as an SVG image.
import { encode } from 'uqr';

/** Width of the quiet zone (ISO/IEC 18004), in modules. */
const QUIET_ZONE = 4;

/** The code is dark on white in both themes, because some readers do not accept inverted codes. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  const dark = data.flatMap((row, y) => row.flatMap((module, x) => (module ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="w-full max-w-64 rounded bg-white"
    >
      <path d={dark.join('')} fill="black" />
    </svg>
  );
}
