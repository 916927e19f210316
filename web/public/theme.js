// Runs before the first paint, so that a chosen theme never flashes in from the other one.
try {
  const theme = localStorage.getItem('portaria-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; the page then follows the system.
}
