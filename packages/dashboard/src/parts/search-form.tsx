/** What narrows a list. The filters are the service's own parameters, and stand in the address. */
import { Paper } from "@mantine/core";
import type { ReactNode } from "react";
import { formText } from "./form-text.ts";

export interface SearchFormProps {
  /** What is searched. */
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

/** Of an address or a form, what is a filter: whoever made a link may have put anything there. */
export function pickFilters(source: URLSearchParams | FormData, names: readonly string[]): URLSearchParams {
  const values = names.map((name) => [name, formText(source, name)]);
  return new URLSearchParams(values.filter(([, value]) => value !== ""));
}
