/** Checks for `oriel-server doctor` whether accounts' own acquirers can be used. */
import { AcquirerAccountError, type AcquirerCredentials } from "@oriel/vault";
import { inParallel } from "../../platform/background/in-parallel.ts";
import { messageOf } from "../../platform/message-of.ts";
import type { Db } from "../../platform/storage/database.ts";
import { modeOf } from "../../platform/tenant.ts";
import type { Finding } from "./finding.ts";

/** The newest ones. Each is a request to the vendor. */
const maxChecked = 200;
const atOnce = 5;
const shown = 5;

interface Problem {
  isFailure: boolean;
  text: string;
  todo: string;
}

/**
 * Opens the credentials of each current acquirer account and makes the request that `acquirer set` makes, which moves no
 * money. Like that request, it can't show whether the vendor sends notifications. It fails only for accounts that can take
 * live payments. A merchant who has left is suspended and may have revoked the credentials.
 */
export async function checkAcquirerAccounts(
  db: Db,
  vault: Pick<AcquirerCredentials, "tryOut">,
  { live }: { live: boolean },
): Promise<Finding> {
  const accounts = await db
    .selectFrom("acquirer_account")
    .innerJoin("account", "account.account_no", "acquirer_account.account_no")
    .select([
      "acquirer_account.id",
      "acquirer_account.account_no",
      "livemode",
      "connector",
      "settings",
      "credentials_version",
      "account.status",
    ])
    .where("replaced_at", "is", null)
    .orderBy("acquirer_account.created_at", "desc")
    .limit(maxChecked)
    .execute();
  if (accounts.length === 0) return { verdict: "ok", found: "no account has its own" };
  const problems: Problem[] = [];
  await inParallel(accounts, atOnce, async ({ id, account_no: accountNo, livemode, connector, settings, ...row }) => {
    const account = { id, accountNo, mode: modeOf({ livemode }), connector, settings };
    try {
      await vault.tryOut(account, { version: row.credentials_version });
    } catch (error) {
      const isSuspended = row.status === "suspended";
      const which = `${id} (${account.mode}${isSuspended ? ", suspended" : ""})`;
      const text = `${which}: ${messageOf(error)}`;
      problems.push({ isFailure: livemode && !isSuspended, text, todo: todoOf(error) });
    }
  });
  if (problems.length > 0) return findingOf(problems, accounts.length);
  const suspended = accounts.filter(({ status }) => status === "suspended").length;
  const ofLive = accounts.filter(({ livemode }) => livemode).length;
  const found = `${accounts.length} can be used, ${suspended} of them by suspended accounts`;
  if (ofLive > 0 && !live)
    return {
      verdict: "warning",
      found: `${found}, but ${ofLive} are for live payments, and live mode is off for this process`,
      todo: "set ORIEL_LIVE=1 for every process",
    };
  return { verdict: "ok", found: suspended > 0 ? found : `${accounts.length} can be used` };
}

function todoOf(error: unknown): string {
  const param = error instanceof AcquirerAccountError ? error.param : null;
  if (param === "settings.api_url")
    return "check that this machine can reach the API URL, and correct a wrong URL with `oriel-server acquirer set`; a host that isn't Adyen's must be in ORIEL_ADYEN_HOSTS, for this command too";
  if (param?.startsWith("settings")) return "correct the settings with `oriel-server acquirer set`";
  if (param?.startsWith("credentials"))
    return "check the key's roles at the vendor, or enter other credentials with `oriel-server acquirer set`";
  return "solve the problem that the message names";
}

function findingOf(problems: Problem[], checked: number): Finding {
  const failures = problems.filter(({ isFailure }) => isFailure);
  const others = problems.filter(({ isFailure }) => !isFailure);
  const texts = [failures, others].flatMap((group) => group.map(({ text }) => text).toSorted());
  const more = texts.length > shown ? `; and ${texts.length - shown} more` : "";
  return {
    verdict: failures.length > 0 ? "failed" : "warning",
    found: `${problems.length} of ${checked} can't be used: ${texts.slice(0, shown).join("; ")}${more}`,
    todo: [...new Set(problems.map(({ todo }) => todo))].toSorted().join("; "),
  };
}
