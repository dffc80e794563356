/** A merchant's page that bundles only `@oriel/embed/loader`, which loads the script when it's called. */
import { loadOriel } from "@oriel/embed/loader";

declare global {
  interface Window {
    loadOriel: typeof loadOriel;
  }
}

window.loadOriel = loadOriel;
