/** A Svelte 5 app, all of it in till.svelte. */
import { mount } from "svelte";
import { appContainer, hear, readPageOptions } from "./host-window.ts";
import Till from "./till.svelte";

window.heard = [];
mount(Till, { target: appContainer(), props: { ...readPageOptions<object>(), hear } });
