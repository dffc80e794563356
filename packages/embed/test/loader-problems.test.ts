import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { loaderProblems } from "../build/loader-problems.ts";

const budget = 9_500;

test("accepts a loader without card words that posts to an exact origin", () => {
  expect(
    loaderProblems(
      'f.postMessage({type:"oriel:init"},o,[p]);on("*");fetchEmbedUrl();o.style.setProperty(`width`,w)',
      budget,
    ),
  ).toEqual([]);
});

test.each([
  ["a check digit", "function luhn(n){}"],
  ["an autofill name", 'x="cc-number"'],
  ["a security code's name", "x=`cc-csc`"],
  ["an expiry's name", "x='cc-exp-month'"],
  ["a content encryption", 'alg="A256GCM"'],
  ["a challenge request", "form.creq=1"],
  ["a 3DS Method field", "threeDSMethodData"],
  ["an input", 'd.createElement("input")'],
  ["an input made another way", "make.call(d,`input`)"],
  ["a message to anyone", 'w.postMessage(m,"*",[p])'],
  ["a message to anyone, minified", "w.postMessage({a:b(c)},`*`)"],
  ["a target in an options object", "w.postMessage(m,{targetOrigin:x})"],
  ["markup", "el.innerHTML=x"],
  ["markup that replaces an element", "el.outerHTML=x"],
  ["markup next to an element", "el.insertAdjacentHTML(a,b)"],
  ["a style element", 'd.createElement("style")'],
  ["a script element made another way", "C.call(document,`script`)"],
  ["a script element by a helper function", "e(`script`)"],
  ["a style attribute", "el.setAttribute(`style`,s)"],
  ["code from a string", "new Function(x)"],
  ["code from a string, minified", "Function(x)"],
  ["code from a string, indirectly", "(0,eval)(x)"],
  ["a request", "await fetch(u)"],
  ["a request through window", "window.fetch(u)"],
  ["a request by name", "Reflect.get(window,`fetch`)"],
  ["an XMLHttpRequest", "new XMLHttpRequest"],
  ["a beacon", "navigator.sendBeacon(u)"],
  ["a WebSocket", "new WebSocket(u)"],
  ["a function that Prototype.js replaces", "Array.from(x)"],
  ["another function that Prototype.js replaces", "Object.values(x)"],
  ["a method that Prototype.js replaces", "x?.remove()"],
  ["too many bytes", randomBytes(24_000).toString("hex")],
])("finds %s", (_what, code) => {
  expect(loaderProblems(code, budget)).toHaveLength(1);
});
