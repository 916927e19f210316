// Device names derived from user agents.

const BROWSERS: [RegExp, string][] = [
  // The user agent of each browser also contains the names of the browsers below it.
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(HeadlessChrome|Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.* Safari\//, 'Safari'],
];

const OPERATING_SYSTEMS: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac(intosh| OS X)\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
];

export type Device = { name: string; isPhone: boolean };

/** `Chrome no Windows`, `Safari no iPhone`; 'Dispositivo desconhecido' for unknown user agents. */
export function describeUserAgent(userAgent: string | null): Device {
  const find = (list: [RegExp, string][]) => list.find(([mark]) => mark.test(userAgent ?? ''))?.[1];
  const program = find(BROWSERS);
  const system = find(OPERATING_SYSTEMS);
  const isPhone = system === 'iPhone' || system === 'iPad' || system === 'Android';
  if (program && system) return { name: `${program} no ${system}`, isPhone };
  return { name: program ?? system ?? 'Dispositivo desconhecido', isPhone };
}

/** The name, followed by a number if it is one of the taken names. */
export function withNumber(name: string, taken: readonly string[]): string {
  let free = name;
  for (let number = 2; taken.includes(free); number += 1) free = `${name} ${number}`;
  return free;
}
