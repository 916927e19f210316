// Phone numbers of clients, for links to WhatsApp.

/** The digits of a phone number with country code, without `+` (E.164). */
export type Phone = string & { readonly __phone: unique symbol };

const BRAZIL = '55';
/** Area code and number: eight digits, or nine of a mobile phone. */
const BRAZILIAN = /^55[1-9]{2}(?:[2-5]\d{7}|9\d{8})$/;
const INTERNATIONAL = /^[1-9]\d{7,14}$/;

/** Parses user input. A number without `+` is Brazilian, with or without country code. Null if it is no phone number. */
export function parsePhone(text: string): Phone | null {
  const typed = text.trim();
  if (!/^\+?[\d\s().-]+$/.test(typed)) return null;
  const digits = typed.replaceAll(/\D/g, '');
  const number = typed.startsWith('+') || digits.length > 11 ? digits : BRAZIL + digits.replace(/^0/, '');
  return isPhone(number) ? number : null;
}

/** `(11) 98765-4321`; with country code if it is not Brazilian: `+351912345678`. */
export function formatPhone(phone: Phone): string {
  return BRAZILIAN.test(phone) ? phone.replace(/^55(\d{2})(\d{4,5})(\d{4})$/, '($1) $2-$3') : `+${phone}`;
}

/** The address that opens WhatsApp with a text; without a phone number the user chooses the recipient there. */
export function whatsAppUrl(phone: Phone | null, text: string): string {
  return `https://wa.me/${phone ?? ''}?text=${encodeURIComponent(text)}`;
}

function isPhone(number: string): number is Phone {
  return number.startsWith(BRAZIL) ? BRAZILIAN.test(number) : INTERNATIONAL.test(number);
}
