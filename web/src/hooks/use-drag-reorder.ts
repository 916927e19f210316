import { type PointerEvent, useRef, useState } from 'react';

/** The same list with one thing at another place. */
export function moveItem<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const item = list[from];
  if (item === undefined || to < 0 || to >= list.length) return [...list];
  return list.toSpliced(from, 1).toSpliced(to, 0, item);
}

/**
 * Puts the rows of a list into another order by dragging a grip, with whatever points. The order is the caller's to
 * show while it is dragged and to keep when it is let go.
 */
export function useDragReorder(ids: readonly string[], onReorder: (ids: string[]) => void) {
  const list = useRef<HTMLUListElement>(null);
  const [drag, setDrag] = useState<{ id: string; order: string[] } | null>(null);
  const dragHandleProps = (id: string) => ({
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      event.preventDefault();
      event.currentTarget.setPointerCapture(event.pointerId);
      setDrag({ id, order: [...ids] });
    },
    onPointerMove: ({ clientY }: PointerEvent) => {
      if (drag?.id !== id) return;
      const to = placeAt(list.current, clientY);
      const from = drag.order.indexOf(id);
      if (to !== from) setDrag({ id, order: moveItem(drag.order, from, to) });
    },
    onPointerUp: () => {
      if (drag && drag.order.some((one, place) => one !== ids[place])) onReorder(drag.order);
      setDrag(null);
    },
    onPointerCancel: () => setDrag(null),
  });
  return { list, dragHandleProps, dragged: drag?.id ?? null, order: drag?.order ?? ids };
}

/** The row that a height on the screen lies in; the first or last beyond them. */
function placeAt(list: HTMLElement | null, height: number): number {
  const rows = [...(list?.children ?? [])];
  const below = rows.findIndex((row) => height < row.getBoundingClientRect().bottom);
  return below === -1 ? rows.length - 1 : below;
}
