// The browser: the one that the system has, since none is ever downloaded, set to what a Brazilian office uses.

export const CHROMIUM = {
  launch: {
    executablePath: process.env['PORTARIA_CHROMIUM'] ?? '/usr/bin/chromium',
    // It asks nothing of hosts that the tests do not know.
    args: [
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  },
  context: { locale: 'pt-BR', timezoneId: 'America/Sao_Paulo' },
};
