/** The navigation of an account's pages. It shows how many disputes need a response and how many items need attention. */
import type { AttentionCount } from "@oriel/protocol/dashboard/acquirers";
import { accountPageGroups, type AccountPage } from "../account-pages.ts";
import { useWorkspace, useWorkspaceQuery } from "../api/workspace.tsx";
import { NavLinks, type NavEntry } from "./nav-links.tsx";

const refreshMs = 60_000;
const whatWaits: Readonly<Record<keyof AttentionCount, string>> = {
  disputes: "to respond to",
  attention: "open",
};

export function AccountNavigation({ pages }: { pages: readonly AccountPage[] }) {
  const { href } = useWorkspace();
  const { data: counts } = useWorkspaceQuery<AttentionCount>("attention/count", { refetchInterval: refreshMs });
  const entryOf = ({ path, entry }: AccountPage): (NavEntry & { group: string }) | null => {
    if (entry === undefined) return null;
    const { group, name, Icon, counts: which } = entry;
    const shown = { group, name, Icon, to: href(path) };
    if (which === undefined || counts === undefined) return shown;
    return { ...shown, waiting: { count: counts[which], what: whatWaits[which] } };
  };
  const entries = pages.map(entryOf).filter((entry) => entry !== null);
  const groups = accountPageGroups.map((name) => ({ name, entries: entries.filter(({ group }) => group === name) }));
  return <NavLinks groups={groups.filter(({ entries }) => entries.length > 0)} />;
}
