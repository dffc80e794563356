/** A merchant's page that bundles `<oriel-checkout>` and listens to its bubbling events. */
import "@oriel/embed/element";
import { appContainer, receive, readPageOptions } from "./host-window.ts";

window.received = [];
for (const type of ["ready", "complete", "error"]) {
  appContainer().addEventListener(`oriel-${type}`, (event) => {
    if (event instanceof CustomEvent) receive({ type, detail: event.detail });
  });
}
const { embedUrl } = readPageOptions<{ embedUrl: string }>();
const element = document.createElement("oriel-checkout");
element.setAttribute("embed-url", embedUrl);
appContainer().append(element);
