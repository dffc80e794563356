/** A screen for one session, including the part that comes after Pay. */
import type { CustomerReason } from "@oriel/protocol/declines";
import type { FrameSession } from "@oriel/protocol/frame";
import { bindCardFields } from "../src/form/card-fields.ts";
import { createOutcomeScreen } from "../src/page/outcome-screen.ts";
import type { Page } from "../src/page/page.ts";
import { createScreen } from "../src/page/screen.ts";
import type { Screen } from "../src/page/screen.ts";
import { loadOnDemand } from "./load-page.ts";

export interface WholeScreen extends Screen {
  declined(reason: CustomerReason, cardholderInfo: string | null): void;
  finished(name: "succeeded" | "requires_confirmation", endedHere?: boolean): void;
}

export function introduceOn(
  page: Page,
  session: FrameSession["session"],
  view: Window = window,
  nowMs = 0,
): WholeScreen {
  const screen = createScreen(page, bindCardFields(page, loadOnDemand), view);
  screen.introduce(session);
  const outcome = createOutcomeScreen(page, screen, view, () => nowMs, loadOnDemand);
  return {
    ...screen,
    declined: (reason, cardholderInfo) => outcome.declined(session, reason, cardholderInfo),
    finished: (name, endedHere = true) => outcome.finished(session, name, endedHere),
  };
}
