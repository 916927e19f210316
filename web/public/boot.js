// The work that precedes the code of the app: the color theme, and the keys that are pressed early.

// Restores the color theme before the first paint, which prevents a flash of the wrong theme.
try {
  const theme = localStorage.getItem('portaria-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // The browser may block storage. The page then uses the theme of the system.
}

// Keeps Control+K and the text that follows in the attribute `data-palette`, from which `AdminCommands` opens the command
// palette. A title or the button with that shortcut shows that the app takes the keys itself. Keys that were kept before a
// page without the palette, such as that of the login, are dropped.
if (location.pathname.startsWith('/admin')) document.addEventListener('keydown', keepKey);

function keepKey(event) {
  const { dataset } = document.documentElement;
  if (document.querySelector('h1, [aria-keyshortcuts]')) {
    document.removeEventListener('keydown', keepKey);
    delete dataset.palette;
    return;
  }
  const { key } = event;
  const isMod = event.ctrlKey || event.metaKey;
  if (isMod && !event.altKey && !event.shiftKey && key.toLowerCase() === 'k') {
    if (dataset.palette === undefined) dataset.palette = '';
    else delete dataset.palette;
    event.preventDefault();
  } else if (dataset.palette !== undefined && !isMod && !event.altKey) {
    if (key === 'Escape') delete dataset.palette;
    else if (key === 'Backspace') dataset.palette = dataset.palette.slice(0, -1);
    else if (key.length === 1) dataset.palette += key;
    else return;
    event.preventDefault();
  }
}
