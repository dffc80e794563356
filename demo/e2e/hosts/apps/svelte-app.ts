/** A Svelte 5 app, all of it in checkout-form.svelte. */
import { mount } from "svelte";
import CheckoutForm from "./checkout-form.svelte";
import { appContainer, receive, readPageOptions } from "./host-window.ts";

window.received = [];
mount(CheckoutForm, { target: appContainer(), props: { ...readPageOptions<object>(), receive } });
