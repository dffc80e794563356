/**
 * A form for values that the service has saved. If they change while the form is open, for example because a colleague
 * saved others, the fields that the user has edited keep what was typed, and all others show the new values.
 *
 * Call `form.resetDirty(sent)` when the service has saved the sent values, and then update the query. What the user typed
 * in the meantime stays.
 */
import { useForm } from "@mantine/form";
import { useLayoutEffect } from "react";

type Options<Values extends object> = Omit<
  NonNullable<Parameters<typeof useForm<Values>>[0]>,
  "mode" | "initialValues"
>;

export function useSavedForm<Values extends object>(saved: Values, options: Options<Values>) {
  const form = useForm<Values>({ ...options, initialValues: saved });
  useLayoutEffect(() => {
    const edited = Object.entries(form.getValues()).filter(([name]) => form.isDirty(name));
    form.setValues({ ...saved, ...Object.fromEntries(edited) });
    form.resetDirty(saved);
  }, [JSON.stringify(saved)]); // a refetch that changes nothing returns an equal object
  return form;
}
