// The opened file in the address, where its panel fills the screen: the browser's Back closes the panel.
import { useEffect, useEffectEvent, useRef } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';

/** Width from which the panel is beside the list, like the breakpoint `xl` of the panel. */
const BESIDE = '(min-width: 80rem)';
const PARAM = 'arquivo';
/** State of a history entry before which is the list without the panel. */
const PUSHED = 'inbox-panel';

type FileInAddressOptions = {
  /** The opened file, or null. */
  id: string | null;
  /** The files of the list, or undefined while they are loaded. */
  rows: readonly { id: string }[] | undefined;
  open: (id: string) => void;
  close: () => void;
};

type Place = { id: string | null; address: string | null };

export function useFileInAddress({ id, rows, open, close }: FileInAddressOptions): void {
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const { state }: { state: unknown } = useLocation();
  const written = params.get(PARAM);
  const last = useRef<Place>({ id: null, address: null });
  const isLeaving = useRef(false);
  const write = (next: string | null, options: { replace: boolean; state: unknown }) => {
    const search = new URLSearchParams(params);
    if (next === null) search.delete(PARAM);
    else search.set(PARAM, next);
    setParams(search, { ...options, preventScrollReset: true });
  };
  const leave = () => {
    isLeaving.current = true;
    if (state === PUSHED) void navigate(-1);
    else write(null, { replace: true, state: null });
  };
  const synchronize = useEffectEvent((now: Place, isLoaded: boolean) => {
    const before = last.current;
    last.current = now;
    if (now.address === null) {
      isLeaving.current = false;
      if (now.id === null) return;
      if (before.address !== null) {
        // Leaving a field saves its text.
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
        close();
      } else if (before.id === null && !matchMedia(BESIDE).matches) {
        write(now.id, { replace: false, state: PUSHED });
      }
    } else if (now.id !== null) {
      if (now.id !== now.address) write(now.id, { replace: true, state });
    } else if (!isLeaving.current) {
      const isListed = rows?.some((row) => row.id === now.address);
      // A reload, or a return to the panel: its file may have left the list.
      if (before.id === null && isListed) open(now.address);
      else if (before.id !== null || isLoaded) leave();
    }
  });
  const areRowsLoaded = rows !== undefined;
  useEffect(() => synchronize({ id, address: written }, areRowsLoaded), [id, written, areRowsLoaded]);
}
