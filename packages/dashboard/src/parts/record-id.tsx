/** An ID with a copy button. If the dashboard has a page for the record, or finds its payment, the ID is a link. */
import { useWorkspace, type Workspace } from "../api/workspace.tsx";
import { CopyLine } from "./copy-text.tsx";

export interface RecordIdProps {
  id: string;
  /** Completes the copy button's accessible name, as in "Copy payment ID". */
  what: string;
  /** On the record's own page, the ID isn't a link. */
  isHere?: boolean;
}

export function RecordId({ id, what, isHere = false }: RecordIdProps) {
  const workspace = useWorkspace();
  const page = isHere ? null : pageOf(id, workspace);
  return <CopyLine text={id} what={what} {...(page !== null && { link: workspace.href(page) })} />;
}

function pageOf(id: string, { may }: Workspace): string | null {
  const place = encodeURIComponent(id);
  switch (id.slice(0, id.indexOf("_") + 1)) {
    case "ch_":
      return `payments/${place}`;
    case "evt_":
      return `events/${place}`;
    case "cs_":
    case "dec_":
    case "dp_":
    case "pm_":
    case "re_":
      return `payments?search=${place}`;
    case "we_":
      return may("developing") ? `webhooks/${place}` : null;
    case "req_":
      return may("developing") ? `requests?request_id=${place}` : null;
    default:
      return null;
  }
}
