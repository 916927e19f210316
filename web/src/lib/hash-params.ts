/** Takes what a mailed or printed link carries after `#`, and takes it out of the address bar and the history. */
export function consumeHashParams(): URLSearchParams {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  return fragment;
}
