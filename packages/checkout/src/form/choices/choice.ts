/** What the choices about an order have in common. */
import type { FrameSession } from "@oriel/protocol/frame";
import type { FrameEvents } from "@oriel/protocol/windows";
import type { Page } from "../../page/page.ts";
import type { FrameApi } from "../../service/frame-api.ts";
import type { ChoiceTexts } from "../../texts/texts.ts";

type Session = FrameSession["session"];

export interface ChoicesWorld {
  page: Page;
  request: FrameApi["requestOfSession"];
  flow: {
    isBusy(): boolean;
    /** Of the order that the page shows. */
    shownVersion(): number | undefined;
    refresh(): Promise<void>;
  };
  /** Disables Pay until the service or the shop has responded. */
  hold(isHeld: boolean): void;
  /** Whether the host page has disabled the form. */
  isDisabled(): boolean;
  emit<K extends "updaterequest" | "escape">(name: K, detail: FrameEvents[K]): void;
  now(): number;
  wait(ms: number): Promise<void>;
}

/** The control for one choice. */
export interface Choice {
  element: HTMLElement;
  /** Whether this session offers it. */
  isOffered(session: Session): boolean;
  /** Shows the session's current state in the current language. */
  show(session: Session, texts: ChoiceTexts, locale: string): void;
}

/** A control's element: its label, the control and a status message. */
export function createChoiceElement(document: Document, tag: "div" | "form", control: HTMLElement) {
  const element = document.createElement(tag);
  const label = document.createElement("label");
  label.htmlFor = control.id;
  const said = document.createElement("p");
  said.id = `${control.id}-said`;
  said.setAttribute("role", "status");
  control.setAttribute("aria-describedby", said.id);
  element.append(label, control, said);
  return {
    element,
    label,
    say(sentence: string, isError: boolean) {
      if (said.textContent !== sentence) said.textContent = sentence; // or it would be read out each time
      said.classList.toggle("error", isError);
      control.setAttribute("aria-invalid", String(isError));
    },
  };
}
