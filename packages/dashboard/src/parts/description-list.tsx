/**
 * The names and values of one record, stacked on narrow screens. Leaves out empty values.
 */
import { Fragment, type ReactNode } from "react";

export interface Fact {
  name: string;
  /** Null, undefined and empty strings are left out. */
  value: ReactNode;
}

export function DescriptionList({ facts }: { facts: readonly Fact[] }) {
  const known = facts.filter(({ value }) => value !== null && value !== undefined && value !== "");
  return (
    <dl className="facts">
      {known.map(({ name, value }) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd className="break-anywhere">{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
