// What the server lets the browser know, fetched once before anything else.

export type ServerConfig = {
  anon_key: string;
  product_name: string;
  password_min: number;
  max_upload_bytes: number;
  signup: boolean;
  /** Whether a new e-mail address is confirmed at the old one too. */
  secure_email_change: boolean;
  require_current_password: boolean;
  /** Whether administrators must set up a second step. */
  require_second_step: boolean;
  time_zone: string;
};

let loaded: ServerConfig | undefined;

export async function loadServerConfig(): Promise<void> {
  const response = await fetch('/config.json');
  if (!response.ok) throw new Error(`config.json answered ${response.status}`);
  loaded = await response.json();
}

/** The configuration; only code that runs after `loadConfig` may ask. */
export function serverConfig(): ServerConfig {
  if (!loaded) throw new Error('The configuration was read before it was loaded.');
  return loaded;
}
