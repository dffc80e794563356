/** A shop that authenticates the published cards at its own sandbox bank, and the browser it sends to the ACS. */
import type { FastifyInstance } from "fastify";
import { expect } from "vitest";
import { threeDSecureCards, type ThreeDSecureScenario } from "@oriel/protocol/test-cards";
import {
  messageVersions,
  type AReq,
  type ARes,
  type Erro,
  type MessageVersion,
  type RReq,
} from "@oriel/protocol/threeds";
import type { BankOptions } from "../src/bank.ts";
import {
  areqFor,
  base64url,
  createTestBank,
  creqFor,
  decode,
  get,
  notificationURL,
  origin,
  post,
  postForm,
  readForm,
} from "./bank-client.ts";
import { createManualClock, type ManualClock } from "./manual-clock.ts";
import { listenForResults, type ResultsListener } from "./results-listener.ts";

type Response = Awaited<ReturnType<typeof postForm>>;

export interface Shop {
  bank: FastifyInstance;
  clock: ManualClock;
  /** URL at which the shop receives results. */
  results: ResultsListener;
  /** Sends an AReq, in 2.3.1 unless `changes` sets another version. Fields missing from the response are undefined. */
  authenticate(
    scenario: ThreeDSecureScenario,
    changes?: Partial<AReq>,
  ): Promise<ARes & Partial<Omit<Erro, keyof ARes>>>;
  sendCReq(ares: ARes): Promise<Response>;
  /** Sends the AReq and the CReq. The ARes must be C. */
  openChallenge(scenario: ThreeDSecureScenario, changes?: Partial<AReq>): Promise<{ ares: ARes; page: Response }>;
  /** Submits the form of one of the ACS's pages. */
  submit(page: { body: string }, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
  /** The message that a page returns to the shop. */
  returned(page: { body: string }): unknown;
  /** Results that the shop received. */
  rreqs(): RReq[];
  /** Message counts of the newest transaction in the bank's list. */
  messages(): Promise<object>;
  close(): Promise<void>;
}

export const versions: readonly MessageVersion[] = messageVersions;

export function cardOf(scenario: ThreeDSecureScenario): string {
  return threeDSecureCards[scenario][0];
}

/** Repeats each row for each version. The version comes first. */
export function inBoth<Row extends [ThreeDSecureScenario, ...unknown[]]>(rows: Row[]): [MessageVersion, ...Row][] {
  return rows.flatMap((row) => versions.map((messageVersion): [MessageVersion, ...Row] => [messageVersion, ...row]));
}

export async function openShop(options: Partial<BankOptions> = {}): Promise<Shop> {
  const results = await listenForResults();
  const clock = createManualClock();
  const bank = await createTestBank({ clock, ...options });
  const shop: Shop = {
    bank,
    clock,
    results,
    async authenticate(scenario, changes = {}) {
      const areq = areqFor(cardOf(scenario), { threeDSServerURL: results.url, messageVersion: "2.3.1", ...changes });
      return (await post(bank, "/directory-server", areq)).json();
    },
    sendCReq: (ares) =>
      postForm(bank, "/acs/challenge", { creq: base64url(creqFor(ares)), threeDSSessionData: "c2Vz" }),
    async openChallenge(scenario, changes) {
      const ares = await shop.authenticate(scenario, changes);
      expect(ares).toMatchObject({ transStatus: "C", acsURL: `${origin}/acs/challenge`, acsChallengeMandated: "N" });
      return { ares, page: await shop.sendCReq(ares) };
    },
    submit(page, fields, headers = {}) {
      const form = readForm(page.body);
      return bank.inject({
        method: "POST",
        url: form.action,
        payload: new URLSearchParams({ ...form.fields, action: "submit", ...fields }).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      });
    },
    returned(page) {
      const form = readForm(page.body);
      expect(form.action).toBe(notificationURL);
      expect(form.fields["threeDSSessionData"]).toBe("c2Vz");
      return decode(form.fields["cres"]);
    },
    rreqs: () => results.received.map(({ rreq }) => rreq),
    async messages() {
      const { authentications } = (await get(bank, "/directory-server/authentications")).json();
      return authentications.at(-1).messages;
    },
    async close() {
      await bank.close();
      await results.close();
    },
  };
  return shop;
}
