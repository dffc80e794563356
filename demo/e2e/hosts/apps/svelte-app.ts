/** A Svelte 5 app; till.svelte is the whole of it. */
import { mount } from "svelte";
import { appContainer, hear, readPageOptions } from "./host-window.ts";
import Till from "./till.svelte";

window.heard = [];
mount(Till, { target: appContainer(), props: { ...readPageOptions<object>(), hear } });
