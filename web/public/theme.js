// Restores the color theme before the first paint, which prevents a flash of the wrong theme.
try {
  const theme = localStorage.getItem('portaria-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // The browser may block storage. The page then uses the theme of the system.
}
