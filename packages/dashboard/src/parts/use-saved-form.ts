/**
 * A form for values that the service has saved. If they change while the form is open, for example because a colleague
 * saved others, the fields that the user has edited keep what was typed, and all others show the new values.
 *
 * An edited field whose saved value has changed is a conflict: saving would undo a change that the user hasn't seen.
 * Until the user chooses one of the two values, `seen` stays as it was before the change. Send it, or its version, when
 * saving, so that the service refuses to overwrite the change. `ChangedMeanwhile` shows the conflicts and the choice.
 */
import { useForm } from "@mantine/form";
import { useLayoutEffect, useState } from "react";

type Name<Values> = keyof Values & string;

/** Edits, and what they are based on. */
export interface Draft<Source, Values> {
  values: Values;
  /** For each field, the saved value that the user saw when editing it. */
  base: Values;
  seen: Source;
}

type Options<Source, Values extends object> = Omit<
  NonNullable<Parameters<typeof useForm<Values>>[0]>,
  "mode" | "initialValues"
> & {
  /** The edits of this form when it was last closed. */
  draft?: Draft<Source, Values> | undefined;
};

export type SavedForm<Source, Values extends object> = ReturnType<typeof useForm<Values>> & Following<Source, Values>;

interface Following<Source, Values> {
  /** What the service had saved when the user saw it. */
  seen: Source;
  draft: Draft<Source, Values>;
  /** Edited fields whose saved values have changed since. */
  conflicts: Name<Values>[];
  /** Replaces what the user typed in conflicts with the saved values. */
  takeCurrent(): void;
  /** Keeps what the user typed in conflicts, so that the next save overwrites the saved values. */
  overwriteSaved(): void;
  /** Call it after saving, and then update the query. What the user typed in the meantime stays. */
  hasSaved(sent: Values, data: Source): void;
}

/**
 * @param source what the service has saved
 * @param valuesOf converts it to the values of the form
 */
export function useSavedForm<Source, Values extends object>(
  source: Source,
  valuesOf: (source: Source) => Values,
  { draft, ...options }: Options<Source, Values> = {},
): SavedForm<Source, Values> {
  const saved = valuesOf(source);
  const names = Object.keys(saved) as Name<Values>[]; // exactly the keys of an object made here
  const [initialValues] = useState({ ...saved, ...(draft && pick(draft.values, changesOf(draft))) });
  const form = useForm<Values>({ ...options, initialValues });

  /** The saved values that unedited fields show. */
  const [shown, setShown] = useState(saved);
  const [base, setBase] = useState(draft?.base ?? saved);
  const [seen, setSeen] = useState(draft?.seen ?? source);
  const edited = names.filter((name) => !isEqual(form.values[name], shown[name]));
  const conflicts = edited.filter((name) => !isEqual(base[name], saved[name]));
  const nextBase = { ...saved, ...pick(base, edited) };
  if (!isEqual(nextBase, base)) setBase(nextBase);
  if (conflicts.length === 0 && seen !== source) setSeen(source);

  /** @param before the values of fields that the user hasn't edited */
  const show = (next: Values, before: Values) => {
    const current = form.getValues();
    const edited = names.filter((name) => !isEqual(current[name], before[name]));
    form.setValues({ ...next, ...pick(current, edited) });
    form.resetDirty(next);
    setShown(next);
  };
  useLayoutEffect(() => show(saved, shown), [JSON.stringify(saved)]); // a refetch that changes nothing returns an equal object

  return {
    ...form,
    seen,
    draft: { values: form.values, base, seen },
    conflicts,
    takeCurrent: () => {
      form.setValues(pick(saved, conflicts));
      form.resetDirty(saved);
    },
    overwriteSaved: () => setBase(saved),
    hasSaved: (sent, data) => {
      const next = valuesOf(data);
      show(next, sent);
      setBase(next);
      setSeen(() => data);
    },
  };
}

function changesOf<Values extends object>({ values, base }: Draft<unknown, Values>): Name<Values>[] {
  const names = Object.keys(values) as Name<Values>[]; // as above
  return names.filter((name) => !isEqual(values[name], base[name]));
}

function pick<Values extends object>(values: Values, names: readonly Name<Values>[]): Partial<Values> {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Partial<Values>; // some of its own entries
}

/** The values of forms are JSON, and their keys are always in the same order. */
function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
