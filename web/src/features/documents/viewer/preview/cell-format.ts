// Number formats of spreadsheets (ECMA-376, part 1, 18.8.30), as far as a preview needs them.

// The built-in formats that differ from their shown text.
const BUILT_IN: Record<number, string> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  9: '0%',
  10: '0.00%',
  37: '#,##0',
  38: '#,##0',
  39: '#,##0.00',
  40: '#,##0.00',
  44: '"R$" #,##0.00',
};
const BUILT_IN_DATES: Record<number, string> = {
  14: 'dd/mm/yyyy',
  15: 'dd/mm/yyyy',
  16: 'dd/mm/yyyy',
  17: 'mm/yyyy',
  18: 'hh:mm',
  19: 'hh:mm:ss',
  20: 'hh:mm',
  21: 'hh:mm:ss',
  22: 'dd/mm/yyyy hh:mm',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss',
};
/** Days from 30 December 1899, the day 0 of spreadsheets, to 1 January 1970. */
const EPOCH_DAYS = 25_569;
/** Days from day 0 of spreadsheets with the 1904 date system. */
const DAYS_UNTIL_1904 = 1_462;
const DAY_MS = 86_400_000;

/** The code of a format, by its id; undefined for the general format. */
export function formatCode(id: number, custom: ReadonlyMap<number, string>): string | undefined {
  return custom.get(id) ?? BUILT_IN_DATES[id] ?? BUILT_IN[id];
}

/** Formats a number as its cell shows it, with the decimal comma. */
export function formatCell(value: number, code: string | undefined, is1904: boolean): string {
  const section = chooseSection(value, code ?? '');
  // A duration may have more than 24 hours or 60 minutes.
  const unit = /\[([hms])+\]/i.exec(section)?.[1]?.toLowerCase();
  if (unit !== undefined) return formatDuration(value, unit, /s/i.test(section));
  // Quoted texts, colors and conditions are not part of the number.
  const pattern = section.replaceAll(/"[^"]*"|\[[^\]]*\]|\\.|_.|\*./g, '');
  if (/[dy]|h|m{1,4}/i.test(pattern) && !/general|0|#/i.test(pattern)) {
    return formatSerial(value + (is1904 ? DAYS_UNTIL_1904 : 0), pattern.toLowerCase());
  }
  const masked = formatMask(value, section);
  if (masked !== undefined) return masked;
  const isPercent = pattern.includes('%');
  const decimals = /\.([0#?]+)/.exec(pattern)?.[1]?.length;
  const scaled = isPercent ? value * 100 : value;
  if (!/[0#]/.test(pattern)) return formatGeneral(value);
  const text = groupDigits(Math.abs(scaled).toFixed(decimals ?? 0), pattern.includes(','));
  const currency = section.includes('R$') ? 'R$\u00a0' : '';
  return `${scaled < 0 && /[1-9]/.test(text) ? '-' : ''}${currency}${text}${isPercent ? '%' : ''}`;
}

/** The section of a format for a number: the first one, of positive numbers, unless the sections have conditions. */
function chooseSection(value: number, code: string): string {
  const sections = code.split(';');
  const [first = ''] = sections;
  if (!CONDITION.test(first)) return first;
  return sections.find((section) => meetsCondition(value, section)) ?? first;
}

const CONDITION = /\[(<=|>=|<>|<|>|=)(-?[\d.]+)\]/;

function meetsCondition(value: number, section: string): boolean {
  const [, operator, text] = CONDITION.exec(section) ?? [];
  if (operator === undefined) return true;
  const limit = Number(text);
  const order = Math.sign(value - limit);
  if (operator === '<>') return order !== 0;
  return (
    (operator.includes('=') && order === 0) ||
    (operator.includes('<') ? order < 0 : operator.includes('>') && order > 0)
  );
}

/** One token of a format: a text in quotes, an escaped or a padding character, a color or condition, or a character. */
const TOKENS = /"[^"]*"|\\.|[_*].|\[[^\]]*\]|./g;

const isDigit = (token: string): boolean => token === '0' || token === '#';
const isLiteral = (token: string): boolean => token.length > 1 || '-/():+ '.includes(token);

/**
 * Formats an integer whose digits have fixed places, as of a CPF (`000\.000\.000\-00`): missing digits are zeros.
 * Undefined for other formats.
 */
function formatMask(value: number, section: string): string | undefined {
  const tokens = section.match(TOKENS) ?? [];
  if (tokens.filter(isDigit).length < 2 || !tokens.every((token) => isDigit(token) || isLiteral(token)))
    return undefined;
  let digits = Math.abs(value).toFixed(0);
  let text = '';
  const first = tokens.findIndex(isDigit);
  for (const [at, token] of [...tokens.entries()].toReversed()) {
    if (at === first) {
      text = (digits || (token === '0' ? '0' : '')) + text;
    } else if (isDigit(token)) {
      text = (digits.slice(-1) || (token === '0' ? '0' : '')) + text;
      digits = digits.slice(0, -1);
    } else if (token.length === 1) {
      text = token + text;
    } else if (token.startsWith('"') || token.startsWith('\\')) {
      text = token.replaceAll(/^["\\]|"$/g, '') + text;
    }
  }
  return value < 0 ? `-${text}` : text;
}

/** All digits of an integer, which may be an identifier, and at most eleven of other numbers, as spreadsheets do. */
function formatGeneral(value: number): string {
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(11))).replace('.', ',');
}

function groupDigits(text: string, isGrouped: boolean): string {
  const [whole = '', fraction] = text.split('.');
  const grouped = isGrouped ? whole.replaceAll(/\B(?=(?:\d{3})+$)/g, '.') : whole;
  return fraction === undefined ? grouped : `${grouped},${fraction}`;
}

const twoDigits = (part: number): string => String(part).padStart(2, '0');

/** Formats days as hours and minutes; as minutes or seconds if these are the largest unit. */
function formatDuration(days: number, unit: string, hasSeconds: boolean): string {
  const step = hasSeconds ? 1 : 60;
  const seconds = Math.round((Math.abs(days) * 86_400) / step) * step;
  const minutes = Math.floor(seconds / 60);
  const parts =
    unit === 's'
      ? [String(seconds)]
      : unit === 'm'
        ? [String(minutes)]
        : [String(Math.floor(minutes / 60)), twoDigits(minutes % 60)];
  if (hasSeconds && unit !== 's') parts.push(twoDigits(seconds % 60));
  return (days < 0 && seconds > 0 ? '-' : '') + parts.join(':');
}

function formatSerial(serial: number, pattern: string): string {
  const date = new Date(Math.round((serial - EPOCH_DAYS) * DAY_MS));
  if (Number.isNaN(date.getTime())) return formatGeneral(serial);
  const iso = date.toISOString();
  const [year = '', month = '', day = ''] = iso.slice(0, 10).split('-');
  const hasDay = pattern.includes('d');
  const hasYear = pattern.includes('y');
  const hasSeconds = pattern.includes('s');
  const time = pattern.includes('h')
    ? iso.slice(11, hasSeconds ? 19 : 16)
    : hasSeconds
      ? iso.slice(14, 19)
      : '';
  const isDate = hasDay || hasYear || time === '';
  const parts = isDate ? [hasDay ? day : '', month, hasYear || (hasDay && !time) ? year : ''] : [];
  return [parts.filter(Boolean).join('/'), time].filter(Boolean).join(' ');
}
