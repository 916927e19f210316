// Payment lines ("linha digitável") and Pix codes, checked by their check digits. The server checks the same
// (crates/portaria-codes); its tests contain the sources of the rules.

/** A payment line with correct check digits. */
export type PaymentLine = {
  /** 47 digits of a boleto, 48 of a slip of a tax or a utility. */
  digits: string;
  /** Null if the payer fills in the amount. */
  cents: number | null;
};

/** A Pix code with a correct checksum. */
export type PixCode = {
  code: string;
  merchant: string;
  /** Null if the payer fills in the amount. */
  cents: number | null;
};

const PIX_DOMAIN = 'br.gov.bcb.pix';

/** Parses a payment line. Spaces, dots and hyphens are ignored. Returns null if it is not valid. */
export function parsePaymentLine(text: string): PaymentLine | null {
  const digits = text.replaceAll(/[\s.-]/g, '');
  if (!/^\d+$/.test(digits)) return null;
  if (digits.length === 47 && !digits.startsWith('8')) return parseBoleto(digits);
  return digits.length === 48 && digits.startsWith('8') ? parseCollection(digits) : null;
}

/** The usual groups of a line: `34191.10121 34567.880058 71234.570001 6 16670000012345`. */
export function formatPaymentLine(digits: string): string {
  return digits.length === 47
    ? digits.replace(/^(.{5})(.{5})(.{5})(.{6})(.{5})(.{6})(.)(.+)$/, '$1.$2 $3.$4 $5.$6 $7 $8')
    : digits.replaceAll(/(\d{11})(\d)(?=(\d)?)/g, (_, group: string, check: string, next?: string) =>
        next === undefined ? `${group}-${check}` : `${group}-${check} `,
      );
}

/** Parses a Pix code. Returns null if it is not valid. */
export function parsePix(text: string): PixCode | null {
  const code = text.trim();
  const fields = parseFields(code);
  const crc = code.slice(-4);
  if (!fields || !code.startsWith('000201') || code.slice(-8, -4) !== '6304') return null;
  if (checksum(code.slice(0, -4)) !== crc.toUpperCase()) return null;
  const account = fields.find(
    ([id, value]) => id >= '26' && id <= '51' && find(parseFields(value), '00')?.toLowerCase() === PIX_DOMAIN,
  );
  const merchant = find(fields, '59');
  if (!account || merchant === undefined || find(fields, '53') !== '986') return null;
  const amount = find(fields, '54');
  if (amount !== undefined && !/^\d+(?:\.\d{0,2})?$/.test(amount)) return null;
  const cents = amount === undefined ? 0 : Math.round(Number(amount) * 100);
  return { code, merchant, cents: cents || null };
}

/** Parses an amount as people type it: `1.234,56`, `R$ 1234,5`, `1234`. Returns null if it is none. */
export function parseAmount(text: string): number | null {
  const match = /^(?:R\$)?\s*(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d{1,2}))?$/.exec(text.trim());
  if (!match) return null;
  return Number(match[1]?.replaceAll('.', '')) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
}

function parseBoleto(digits: string): PaymentLine | null {
  const fields = [digits.slice(0, 10), digits.slice(10, 21), digits.slice(21, 32)];
  const [check, value] = [digits.slice(32, 33), digits.slice(33)];
  const free = fields.map((field, index) => field.slice(index === 0 ? 4 : 0, -1)).join('');
  const remainder = remainder11(digits.slice(0, 4) + value + free);
  const isValid =
    digits.slice(3, 4) === '9' &&
    fields.every((field) => modulo10(field.slice(0, -1)) === Number(field.slice(-1))) &&
    Number(check) === (remainder < 2 ? 1 : 11 - remainder);
  return isValid ? { digits, cents: Number(value.slice(4)) || null } : null;
}

function parseCollection(digits: string): PaymentLine | null {
  const groups = [0, 12, 24, 36].map((start) => digits.slice(start, start + 12));
  const barcode = groups.map((group) => group.slice(0, 11)).join('');
  const identifier = digits.slice(2, 3);
  if (!'6789'.includes(identifier)) return null;
  const check = '67'.includes(identifier) ? modulo10 : modulo11;
  const isValid =
    groups.every((group) => check(group.slice(0, 11)) === Number(group.slice(11))) &&
    check(barcode.slice(0, 3) + barcode.slice(4)) === Number(barcode.slice(3, 4));
  // The identifiers 7 and 9 denote a quantity of another currency.
  const cents = '68'.includes(identifier) ? Number(barcode.slice(4, 15)) : 0;
  return isValid ? { digits, cents: cents || null } : null;
}

/** Modulo 10: the weights 2 and 1 alternate from the right, and the digits of each product are added. */
function modulo10(digits: string): number {
  const sum = Array.from(digits, Number).reduceRight((total, digit, index) => {
    const product = digit * ((digits.length - 1 - index) % 2 === 0 ? 2 : 1);
    return total + Math.floor(product / 10) + (product % 10);
  }, 0);
  return (10 - (sum % 10)) % 10;
}

/** Modulo 11 of slips with 48 digits. */
function modulo11(digits: string): number {
  const remainder = remainder11(digits);
  return remainder < 2 ? 0 : 11 - remainder;
}

/** The weighted sum modulo 11, with the weights 2 to 9 from the right. */
function remainder11(digits: string): number {
  return (
    Array.from(digits, Number).reduceRight(
      (total, digit, index) => total + digit * (((digits.length - 1 - index) % 8) + 2),
      0,
    ) % 11
  );
}

type PixField = [id: string, value: string];

/** Splits a code into fields: an id of two digits, the length as two digits, the value. */
function parseFields(text: string): PixField[] | null {
  const characters = Array.from(text);
  const fields: PixField[] = [];
  for (let at = 0; at < characters.length;) {
    const head = characters.slice(at, at + 4).join('');
    if (!/^\d{4}$/.test(head)) return null;
    const end = at + 4 + Number(head.slice(2));
    if (end > characters.length) return null;
    fields.push([head.slice(0, 2), characters.slice(at + 4, end).join('')]);
    at = end;
  }
  return fields;
}

function find(fields: PixField[] | null, wanted: string): string | undefined {
  return fields?.find(([id]) => id === wanted)?.[1];
}

/** CRC-16/CCITT-FALSE in hexadecimal. */
function checksum(text: string): string {
  let crc = 0xffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
