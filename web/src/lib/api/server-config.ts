// The public configuration of the server, loaded once at startup.

export type ServerConfig = {
  anon_key: string;
  product_name: string;
  password_min: number;
  max_upload_bytes: number;
  signup: boolean;
  /** Whether a change of e-mail address requires confirmation from the old address too. */
  secure_email_change: boolean;
  require_current_password: boolean;
  /** Whether administrators must enroll MFA. */
  require_second_step: boolean;
  /** Whether the portal's address permits passkeys. */
  passkeys: boolean;
  time_zone: string;
};

let loaded: ServerConfig | undefined;

export async function loadServerConfig(): Promise<void> {
  const response = await fetch('/config.json');
  if (!response.ok) throw new Error(`config.json answered ${response.status}`);
  loaded = await response.json();
}

/** The loaded configuration. Throws before `loadServerConfig` completes. */
export function serverConfig(): ServerConfig {
  if (!loaded) throw new Error('The configuration was read before it was loaded.');
  return loaded;
}
