/**
 * The floors: the cost of a card form in an iframe without Oriel. It has three native fields, a handler that groups the
 * digits, a button, and a script that inserts the iframe and reports it. It has minimal styles, no validation and no
 * encryption. Its button works at once, or only after it has fetched its session.
 */

const ready = "pay.disabled = false; tell({ ready: true })";
const whenReady = {
  atOnce: ready,
  withSession: `fetch("/session", { method: "POST" }).then((session) => session.json()).then(() => { ${ready} })`,
};

/** @param shopOrigin - Origin of the parent page, which receives the form's height. */
export function bareForm(shopOrigin: string, isReady: keyof typeof whenReady): string {
  return page(
    "Card",
    `<style>
body { margin: 0; font: 1rem system-ui, sans-serif }
input { display: block; box-sizing: border-box; width: 100%; margin: 0 0 0.5rem; padding: 0.6rem; border: 1px solid #999; font: inherit }
</style>
<form>
<label>Card number <input id="number" inputmode="numeric" autocomplete="cc-number"></label>
<label>Expiry <input id="expiry" inputmode="numeric" autocomplete="cc-exp"></label>
<label>CVC <input id="cvc" inputmode="numeric" autocomplete="cc-csc"></label>
<button id="pay" disabled>Pay</button>
</form>
<script>
number.oninput = () => { number.value = number.value.replace(/\\D/g, "").replace(/(\\d{4})(?=\\d)/g, "$1 ").slice(0, 23) }
const tell = (message) => parent.postMessage(message, "${shopOrigin}")
tell({ height: document.documentElement.scrollHeight })
${whenReady[isReady]}
</script>`,
  );
}

/** Defines `Bare.mount(where, path, then)`. */
export const bareLoader = `const origin = new URL(document.currentScript.src).origin;
window.Bare = {
  mount(where, path, then) {
    const frame = document.createElement("iframe");
    frame.src = origin + path;
    frame.style = "border: 0; width: 100%; height: 220px";
    addEventListener("message", (event) => {
      if (event.source !== frame.contentWindow || event.origin !== origin) return;
      if (event.data.ready) then();
      else frame.style.height = event.data.height + "px";
    });
    document.querySelector(where).append(frame);
  },
};
`;

/**
 * The shop's page: a loader, a container and one call. `navigated`, `mounted` and `ready` are reported.
 *
 * @param connectTo - An origin to which the page connects before it needs it. Null: none.
 */
export function shopPage(loaderUrl: string, mount: string, connectTo: string | null): string {
  return page(
    "Shop",
    `${connectTo === null ? "" : `<link rel="preconnect" href="${connectTo}">`}<h1>Your cart</h1>
<div id="checkout" style="width: 480px"></div>
<script src="${loaderUrl}"></script>
<script>
const tell = (what, now = performance.now()) => benchReport(JSON.stringify({ what, at: performance.timeOrigin + now }));
tell("navigated", 0);
tell("mounted");
${mount}
</script>`,
  );
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>
${body}
</html>
`;
}
