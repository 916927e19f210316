// Saving a record that another person may have changed since the form read it (optimistic concurrency).
import { useState } from 'react';
import type { FieldPath, FieldValues } from 'react-hook-form';

import { useDialogState } from './use-dialog-state';
import type { ZodForm } from './use-zod-form';

/** The latest change of a record. Null where the audit log does not hold it. */
export type RecordChange = { author: string | null; at: string | null };

const UNKNOWN_CHANGE: RecordChange = { author: null, at: null };

/** A save that was refused, because the record had changed. */
export type EditConflict<Version, Values> = {
  /** The record as it is now. Saving over it names this version. */
  version: Version;
  /** The values with which the form was opened. */
  before: Values;
  saved: Values;
  /** The values of the refused save. */
  mine: Values;
  change: RecordChange;
};

export type EditedFields<Values> = Partial<Record<keyof Values, boolean>>;

type GuardedUpdate<Version, Values> = {
  seen: Version;
  /** The values of the form. */
  mine: Values;
  /** The fields that the update writes. */
  written: readonly (keyof Values)[];
  /** Writes the record if it still is in this version. Returns whether it was written. */
  update: (version: Version) => Promise<boolean>;
  /** Reads the record again. */
  reload: () => Promise<Version>;
  toValues: (version: Version) => Values;
  /** Finds the author, who is only shown: a failure is no failure of the save. Employees may not read the audit log. */
  findChange: (version: Version) => Promise<RecordChange>;
};

/**
 * Updates a record, unless the update would replace a value that has changed since it was read. A change of anything
 * else, or to the same value, is no conflict: the update is repeated for the new version.
 */
export async function updateUnlessChanged<Version, Values extends object>({
  seen,
  mine,
  written,
  update,
  reload,
  toValues,
  findChange,
}: GuardedUpdate<Version, Values>): Promise<EditConflict<Version, Values> | null> {
  if (await update(seen)) return null;
  const version = await reload();
  const [before, saved] = [toValues(seen), toValues(version)];
  const isOverwritten = written.some(
    (field) => before[field] !== saved[field] && mine[field] !== saved[field],
  );
  if (!isOverwritten && (await update(version))) return null;
  const change = await findChange(version).catch(() => UNKNOWN_CHANGE);
  return { version, before, saved, mine, change };
}

type GuardedSaveOptions<Version, Values extends FieldValues> = {
  form: ZodForm<Values>;
  /** The record as last read. */
  version: Version;
  save: (
    values: Values,
    seen: Version,
    edited: EditedFields<Values>,
  ) => Promise<EditConflict<Version, Values> | null>;
};

/**
 * The save of a form, with its conflict. While the form has changes, `seen` remains the version on which they are
 * based, even if the record is read again. A save while a conflict is open overwrites the version that it shows.
 */
export function useGuardedSave<Version, Values extends FieldValues>({
  form,
  version,
  save,
}: GuardedSaveOptions<Version, Values>) {
  const { dirtyFields } = form.formState;
  const [seen, setSeen] = useState(version);
  const conflict = useDialogState<EditConflict<Version, Values>>();
  // `isDirty` is false for one render whenever the values of the server change.
  const isEdited = Object.values(dirtyFields).includes(true);
  if (!isEdited && seen !== version) setSeen(version);
  /** Returns whether the values were saved. */
  const saveValues = async (values: Values): Promise<boolean> => {
    const base = conflict.open && conflict.item ? conflict.item.version : seen;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the forms have no nested fields.
    const found = await save(values, base, dirtyFields as EditedFields<Values>);
    if (found) conflict.show(found);
    else conflict.close();
    return found === null;
  };
  /** Replaces the fields that the conflict shows by their saved values. Other input stays, such as a new password. */
  const discard = () => {
    conflict.close();
    if (!conflict.item) return;
    const { version: current, before, saved } = conflict.item;
    setSeen(current);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the forms have no nested fields.
    for (const field of Object.keys(saved) as FieldPath<Values>[]) {
      if (before[field] !== saved[field]) form.resetField(field, { defaultValue: saved[field] });
    }
  };
  /** Continues edits that are based on an earlier version. */
  const resume = (base: Version, edited: { [Field in keyof Values]?: Values[Field] | undefined }) => {
    setSeen(base);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the forms have no nested fields.
    for (const field of Object.keys(edited) as FieldPath<Values>[]) {
      const value = edited[field];
      if (value !== undefined) form.setValue(field, value, { shouldDirty: true });
    }
  };
  return { seen, conflict, save: saveValues, discard, resume };
}
