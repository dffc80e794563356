/**
 * The script right before the page's last element. It applies the appearance, before the first paint.
 *
 * Chromium paints nothing before it has run (`rel="expect"`). Firefox and Safari could briefly paint the fields without
 * their appearance if the page arrives in two pieces split exactly before this script.
 */
import { initialSettings } from "./page/initial-settings.ts";

window.look = initialSettings(window);
