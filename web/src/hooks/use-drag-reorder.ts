// Reordering of a list by dragging.
import { type PointerEvent, useRef, useState } from 'react';

/** Returns a copy of the list with one item moved. An index out of range leaves the order unchanged. */
export function moveItem<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const item = list[from];
  if (item === undefined || to < 0 || to >= list.length) return [...list];
  return list.toSpliced(from, 1).toSpliced(to, 0, item);
}

/**
 * Reordering by dragging a handle with mouse, touch or pen. The caller renders `order` during the drag; `onReorder`
 * receives the new order at the end.
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
      const to = rowIndexAt(list.current, clientY);
      const from = drag.order.indexOf(id);
      if (to !== from) setDrag({ id, order: moveItem(drag.order, from, to) });
    },
    onPointerUp: () => {
      if (drag && drag.order.some((orderedId, index) => orderedId !== ids[index])) onReorder(drag.order);
      setDrag(null);
    },
    onPointerCancel: () => setDrag(null),
  });
  return { list, dragHandleProps, dragged: drag?.id ?? null, order: drag?.order ?? ids };
}

/** The index of the row at a vertical position in the viewport, limited to the first and last row. */
function rowIndexAt(list: HTMLElement | null, clientY: number): number {
  const rows = [...(list?.children ?? [])];
  const index = rows.findIndex((row) => clientY < row.getBoundingClientRect().bottom);
  return index === -1 ? rows.length - 1 : index;
}
