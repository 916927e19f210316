// Focus after the control that had it leaves the page.

import { MAIN_ID } from '~/lib/focus-heading';

const CONTROLS =
  ':is(a[href],button,input,select,textarea,summary,[tabindex="0"]):not(:disabled,[tabindex="-1"])';
/** Time in which a dialog or a page moves the focus itself, in milliseconds. */
const GRACE_MS = 150;

/** An element and its ancestors, each with its position among its siblings. */
type Place = readonly { element: Element; position: number }[];

/**
 * Moves focus to the next control when the one that had it is removed, such as the button of a deleted row or of a dialog
 * that acted on the row. Browsers would return focus to the top of the page. It works for the keyboard and for screen
 * readers only: after a click or a touch nothing needs the focus, and a text field would open the keyboard of a phone.
 */
export function keepFocus(): void {
  let place: Place = [];
  let isPointing = false;
  let timer: ReturnType<typeof setTimeout>;
  const isLost = () => place[0]?.element.isConnected === false && document.activeElement === document.body;

  document.addEventListener('focusin', ({ target }) => {
    if (isInApp(target)) place = isPointing ? [] : placeOf(target);
  });
  document.addEventListener(
    'pointerdown',
    ({ target }) => {
      isPointing = true;
      if (isInApp(target)) place = [];
    },
    true,
  );
  document.addEventListener('keydown', () => (isPointing = false), true);
  new MutationObserver(() => {
    if (!isLost()) return;
    clearTimeout(timer);
    timer = setTimeout(() => isLost() && focusNear(place), GRACE_MS);
  }).observe(document.body, { childList: true, subtree: true });
}

/** Dialogs and menus are outside the app's element. They act on the control that opened them. */
function isInApp(target: EventTarget | null): target is Element {
  return target instanceof Element && target.closest('#root') !== null;
}

/** The place of an element of the main content, up to the main content; empty for other elements. */
function placeOf(target: Element): Place {
  const place = [];
  for (let at: Element | null = target; at; at = at.parentElement) {
    place.push({ element: at, position: [...(at.parentElement?.children ?? [])].indexOf(at) });
    if (at.id === MAIN_ID) return place;
  }
  return [];
}

/** Focuses the control after the place, or else the one before it, within the closest ancestor that has any. */
function focusNear(place: Place): void {
  for (const [level, { element }] of place.entries()) {
    if (!element.isConnected) continue;
    const position = place[level - 1]?.position ?? 0;
    const siblings = [...element.children];
    const control =
      findControl(siblings.slice(position), (controls) => controls[0]) ??
      findControl(siblings.slice(0, position).toReversed(), (controls) => controls.at(-1));
    if (control) return control.focus();
  }
}

function findControl(
  elements: readonly Element[],
  choose: (controls: HTMLElement[]) => HTMLElement | undefined,
): HTMLElement | undefined {
  for (const element of elements) {
    const controls = [element, ...element.querySelectorAll(CONTROLS)].filter(
      (control): control is HTMLElement =>
        control instanceof HTMLElement && control.matches(CONTROLS) && control.checkVisibility(),
    );
    const chosen = choose(controls);
    if (chosen) return chosen;
  }
  return undefined;
}
