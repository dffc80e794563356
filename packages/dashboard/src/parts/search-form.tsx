/** The filters of a list. They are query parameters of the service and part of the page's URL. */
import { Paper } from "@mantine/core";
import type { ReactNode } from "react";
import { formText } from "./form-text.ts";

export interface SearchFormProps {
  /** The accessible name of the search. */
  label: string;
  onSearch: (form: FormData) => void;
  children: ReactNode;
}

export function SearchForm({ label, onSearch, children }: SearchFormProps) {
  return (
    <Paper
      component="form"
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

/** Picks the known filters from a URL or a form. Links may contain arbitrary parameters. */
export function pickFilters(source: URLSearchParams | FormData, names: readonly string[]): URLSearchParams {
  const values = names.map((name) => [name, formText(source, name)]);
  return new URLSearchParams(values.filter(([, value]) => value !== ""));
}
