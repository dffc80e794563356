/**
 * What is known of one record: names and values, one below the other on a narrow screen. What is not known is not
 * listed.
 */
import { Fragment, type ReactNode } from "react";

export interface Fact {
  name: string;
  /** Null, undefined and an empty text: not known. */
  value: ReactNode;
}

export function Facts({ facts }: { facts: readonly Fact[] }) {
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
