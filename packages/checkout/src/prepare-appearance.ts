/**
 * The script right before `#live`, the element that the first paint waits for. It applies the appearance.
 *
 * Chromium paints nothing before it has run (`rel="expect"`). Firefox and Safari could briefly paint the fields without
 * their appearance if the page arrives in two pieces split exactly before this script.
 */
import { initialSettings } from "./page/initial-settings.ts";

window.initialSettings = initialSettings(window);
