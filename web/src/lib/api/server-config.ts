// The public configuration of the server, loaded at startup.
import type { Holiday, OpeningPeriod } from './database';

/** The direction in which a due date moves from a day off: to the business day before or after it. */
export type DayOffRule = 'earlier' | 'later';

/** The public part of the profile of the office. */
export type PublicOffice = {
  /** Address of the logo, a PNG. */
  logo: string | null;
  color: string | null;
  dark_color: string | null;
  phone: string | null;
  /** Digits with country code. */
  whatsapp: string | null;
  email: string | null;
  address: string | null;
  welcome_text: string | null;
  opening_hours: OpeningPeriod[];
};

export type ServerConfig = {
  anon_key: string;
  /** The office's name, or the operator's name of the product. */
  product_name: string;
  office: PublicOffice;
  /** Holidays from two months ago to thirteen months ahead. */
  holidays: Holiday[];
  /** By category of documents. */
  day_off_rules: Readonly<Partial<Record<string, DayOffRule>>>;
  password_min: number;
  max_upload_bytes: number;
  signup: boolean;
  /** Whether a change of e-mail address requires confirmation from the old address too. */
  secure_email_change: boolean;
  require_current_password: boolean;
  /** Whether the staff must enroll MFA. */
  require_second_step: boolean;
  /** Whether the portal's address permits passkeys. */
  passkeys: boolean;
  time_zone: string;
};

let loaded: ServerConfig | undefined;
const listeners = new Set<() => void>();

export async function loadServerConfig(): Promise<void> {
  const response = await fetch('/config.json');
  if (!response.ok) throw new Error(`config.json answered ${response.status}`);
  const config: ServerConfig = await response.json();
  loaded = config;
  await showOffice(config.office);
  for (const listener of listeners) listener();
}

/** The loaded configuration. Throws before `loadServerConfig` completes. */
export function serverConfig(): ServerConfig {
  if (!loaded) throw new Error('The configuration was read before it was loaded.');
  return loaded;
}

/** Calls a listener after each load. Returns the function that ends this. */
export function subscribeServerConfig(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows the office's color, and its logo as the icon of the tab. Most pages need no code for either. */
async function showOffice({ logo, color, dark_color }: PublicOffice): Promise<void> {
  if (color !== null || document.documentElement.style.length > 0) {
    (await import('~/lib/office-colors')).applyOfficeColors({ color, dark_color });
  }
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (!icon || (logo === null && !icon.href.includes('/office/'))) return;
  icon.type = logo === null ? 'image/svg+xml' : 'image/png';
  icon.href = logo?.replace('logo.png', 'icons/192.png') ?? '/favicon.svg';
}
