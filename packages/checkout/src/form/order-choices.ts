/**
 * What the customer can choose about the order: one of the shop's shipping options, and a promotion code. The service or
 * the shop changes the session, and then the page reads it again, so that it never computes an amount itself.
 *
 * Both are outside the form, so that Enter in them doesn't pay. They're shown once their texts have loaded. Without them,
 * the customer pays for what the shop has chosen.
 */
import type { FrameSession } from "@oriel/protocol/frame";
import type { ChoiceTexts } from "../texts/texts.ts";
import type { ChoicesWorld } from "./choices/choice.ts";
import { createPromotionCode } from "./choices/promotion-code.ts";
import { createShippingChoice } from "./choices/shipping-choice.ts";
import { onEscape } from "./watch-form.ts";

type Session = FrameSession["session"];

/** @returns shows the choices of the session, each time it's opened */
export function createOrderChoices(world: ChoicesWorld): (session: Session) => void {
  const { page } = world;
  const { document, words } = page;
  const root = document.createElement("div");
  root.className = "choices";
  onEscape(root, () => world.emit("escape", {}));
  const holders = new Set<string>();
  const holdAs = (name: string) => (isHeld: boolean) => {
    if (isHeld) holders.add(name);
    else holders.delete(name);
    world.hold(holders.size > 0);
  };
  const choices = [
    createShippingChoice({ ...world, hold: holdAs("shipping") }),
    createPromotionCode({ ...world, hold: holdAs("code") }),
  ];
  root.append(...choices.map(({ element }) => element));
  let shown: Session | null = null;
  let texts: ChoiceTexts | null = null;

  const write = () => {
    const session = shown;
    if (!session) return;
    const offered = session.status === "open" ? choices.filter(({ isOffered }) => isOffered(session)) : [];
    for (const choice of choices) {
      choice.element.hidden = !offered.includes(choice);
      if (texts) choice.show(session, texts, words.texts.locale);
    }
    if (offered.length === 0 || !texts) root.remove();
    else if (!root.isConnected) document.querySelector(".order")?.append(root);
    // The service had reserved the space.
    if (offered.length === 0 || texts) delete document.documentElement.dataset["choices"];
  };
  const speak = async () => {
    const { language } = words.texts;
    const found: object | null = await page.fetchTexts(`${language}.choices`);
    // Our build writes this file next to the language's main one.
    if (found && language === words.texts.language) texts = found as ChoiceTexts;
    write();
  };
  words.write("choices", () => void speak());
  return (session) => {
    shown = session;
    if (texts) write();
    else void speak();
  };
}
