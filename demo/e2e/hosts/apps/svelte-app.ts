/** A Svelte 5 app, all of it in till.svelte. */
import { mount } from "svelte";
import { appContainer, receive, readPageOptions } from "./host-window.ts";
import Till from "./till.svelte";

window.received = [];
mount(Till, { target: appContainer(), props: { ...readPageOptions<object>(), receive } });
