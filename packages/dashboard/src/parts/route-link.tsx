/** A link to another page of the dashboard. */
import type { ReactNode } from "react";
import { Link } from "wouter";

export function RouteLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link href={to} className="row-link">
      {children}
    </Link>
  );
}

/** A link to another site whose URL comes from data. Anything other than `https:` is shown as plain text. */
export function OutsideLink({ to }: { to: string }) {
  if (URL.parse(to)?.protocol !== "https:") return <span className="break-anywhere">{to}</span>;
  return (
    <a href={to} rel="noreferrer noopener" target="_blank" className="row-link break-anywhere">
      {to}
    </a>
  );
}
