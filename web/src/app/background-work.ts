// Work of the app that no screen waits for. It is loaded when the browser is idle.

import { followLists } from '~/features/offline/follow-lists';

import { announceRows } from './announce-rows';
import { keepFocus } from './keep-focus';

export function startBackgroundWork(): void {
  announceRows();
  keepFocus();
  followLists();
}
