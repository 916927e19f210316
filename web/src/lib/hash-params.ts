/**
 * Returns the parameters in the URL fragment of a mailed or printed link, and removes them from the address bar and the
 * history.
 */
export function consumeHashParams(): URLSearchParams {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  return fragment;
}
