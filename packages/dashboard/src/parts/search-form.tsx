/**
 * The filters of a list. They are query parameters of the service and part of the page's URL. The form searches only when
 * the user submits it, not while they move through the choices of a field, and keeps the focus.
 */
import { Button, Paper } from "@mantine/core";
import { useLayoutEffect, useRef, type ReactNode } from "react";
import { formText } from "./form-text.ts";

export interface SearchFormProps {
  /** The accessible name of the search. */
  label: string;
  /** What the fields show, by their names: the filters in the URL. */
  values: Readonly<Record<string, string>>;
  onSearch: (form: FormData) => void;
  /** Fields without values of their own, and buttons. */
  children: ReactNode;
}

export function SearchForm({ label, values, onSearch, children }: SearchFormProps) {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    for (const field of form.current?.elements ?? [])
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement)
        field.value = values[field.name] ?? "";
  }, [JSON.stringify(values)]); // also changed by links and the browser's buttons
  return (
    <Paper
      component="form"
      ref={form}
      role="search"
      aria-label={label}
      withBorder
      p="md"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(new FormData(event.currentTarget));
      }}
    >
      {children}
    </Paper>
  );
}

/** A button that removes all filters. It then disappears, so the focus moves to the first field. */
export function ClearFilters({ onClear, children = "Clear filters" }: { onClear: () => void; children?: string }) {
  return (
    <Button
      variant="subtle"
      onClick={({ currentTarget }) => {
        currentTarget.form?.querySelector<HTMLElement>("input, select")?.focus();
        onClear();
      }}
    >
      {children}
    </Button>
  );
}

/** Picks the known filters from a URL or a form. Links may contain arbitrary parameters. */
export function pickFilters(source: URLSearchParams | FormData, names: readonly string[]): URLSearchParams {
  const values = names.map((name) => [name, formText(source, name)]);
  return new URLSearchParams(values.filter(([, value]) => value !== ""));
}
