// Whether keys without a modifier are shortcuts. People who use speech input can switch them off (WCAG 2.2, success
// criterion 2.1.4).
import { safeLocalStorage } from './safe-storage';

const KEY = 'portaria-shortcuts';
const OFF = 'off';

export function areShortcutsOn(): boolean {
  return safeLocalStorage.get(KEY) !== OFF;
}

export function setShortcutsOn(isOn: boolean): void {
  if (isOn) safeLocalStorage.remove(KEY);
  else safeLocalStorage.set(KEY, OFF);
}
