// Steps that a person skipped, and whether the dashboard still proposes them, kept for each person in this browser.
import { useState } from 'react';

import { safeLocalStorage } from '~/lib/safe-storage';

import { type StepId, stepIds } from './steps';

const KEY_PREFIX = 'portaria-first-steps';
const DISMISSED = 'dismissed';

const keyOf = (owner: string) => `${KEY_PREFIX}/${owner}`;
const read = (owner: string) => new Set((safeLocalStorage.get(keyOf(owner)) ?? '').split(','));
const write = (owner: string, marks: ReadonlySet<string>) =>
  safeLocalStorage.set(keyOf(owner), [...marks].filter((mark) => mark !== '').join());

/** The skipped steps, and a function that skips a step or takes it up again. `owner` is the person's id. */
export function useSkippedSteps(owner: string) {
  const [skipped, setSkipped] = useState<ReadonlySet<StepId>>(() => {
    const marks = read(owner);
    return new Set(stepIds.filter((id) => marks.has(id)));
  });
  const setStep = (id: StepId, isSkipped: boolean) => {
    const marks = read(owner);
    if (isSkipped) marks.add(id);
    else marks.delete(id);
    write(owner, marks);
    setSkipped(new Set(stepIds.filter((step) => marks.has(step))));
  };
  return [skipped, setStep] as const;
}

export function areFirstStepsDismissed(owner: string): boolean {
  return read(owner).has(DISMISSED);
}

export function dismissFirstSteps(owner: string): void {
  write(owner, read(owner).add(DISMISSED));
}
