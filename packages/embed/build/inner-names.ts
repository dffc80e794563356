/**
 * Properties that only our own code uses. Their names are shortened, by the minifier in oriel.js and by
 * {@link shortenInnerNames} in the npm package, because a merchant's minifier can't know that it may. With their full
 * names, an import would be 400 bytes larger.
 *
 * No object of the browser, of a message or of the merchant may have a property with one of these names, and our code
 * must never quote them. A test checks this.
 */
import type { Plugin } from "vite";

export const innerNames = [
  "addEntry",
  "addNote",
  "boxContainer",
  "boxElement",
  "callVerb",
  "clearEntries",
  "closePort",
  "closeThis",
  "completed",
  "currentFetch",
  "currentFrame",
  "currentModal",
  "destroyThis",
  "dialogContainer",
  "emitEvent",
  "firstHolder",
  "firstUrl",
  "forgetSpace",
  "holders",
  "iframeElement",
  "isDestroyed",
  "isHidden",
  "isRenewed",
  "isSent",
  "isSettled",
  "listensTo",
  "mountedIn",
  "needsAnother",
  "nextUpdate",
  "onEvent",
  "onFailed",
  "openPort",
  "pageLoaded",
  "paymentStatus",
  "protocolVersion",
  "readSettings",
  "readyPromise",
  "rejectReady",
  "reportSpace",
  "resolveReady",
  "responded",
  "sessionUrl",
  "setHeight",
  "setTitle",
  "showFields",
  "showForm",
  "showLink",
  "shownNotice",
  "startTimers",
  "stopAppearanceWatch",
  "stopPolicyWatch",
  "stopSpaceWatch",
  "stopTimers",
  "takeFrameAway",
  "wasPending",
] as const;

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Single letters, then pairs. The same in every chunk, because chunks share objects. */
const shortNames = new Map<string, string>(
  innerNames.map((name, index) => [name, letters[index] ?? `a${letters[index - letters.length]}`]),
);
const taken = new Set(shortNames.values());

/** The parts of a syntax tree's node that say whether it names a property. */
interface SyntaxNode {
  computed?: boolean;
  shorthand?: boolean;
  key?: Name;
  property?: Name;
}

interface Name {
  name: string;
  start: number;
  end: number;
}

/** Shortens these names in a chunk and changes nothing else. Fails if another property has one of the short names. */
export const shortenInnerNames: Plugin = {
  name: "oriel-shorten-inner-names",
  renderChunk(code) {
    const edits: { start: number; end: number; text: string }[] = [];
    const visit = (node: SyntaxNode): void => {
      const property = node.computed ? undefined : (node.property ?? node.key);
      if (property && taken.has(property.name)) this.error(`inner-names.ts uses the name ${property.name}`);
      const short = shortNames.get(property?.name ?? "");
      if (property && short) {
        const { start, end } = property;
        edits.push(node.shorthand ? { start, end: start, text: `${short}: ` } : { start, end, text: short });
      }
      for (const part of Object.values(node).flat()) if (typeof part === "object" && part !== null) visit(part);
    };
    visit(this.parse(code) as SyntaxNode); // the fields that it reads
    let shortened = "";
    let at = 0;
    for (const { start, end, text } of edits.toSorted((one, other) => one.start - other.start)) {
      shortened += code.slice(at, start) + text;
      at = end;
    }
    return shortened + code.slice(at);
  },
};
