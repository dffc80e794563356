import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { loaderProblems } from "../build/loader-problems.ts";

const budget = 9_500;

test("a loader without card words that posts to an exact origin is fine", () => {
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
  ["a bank's message", "form.creq=1"],
  ["a 3DS Method field", "threeDSMethodData"],
  ["an input", 'd.createElement("input")'],
  ["an input made another way", "make.call(d,`input`)"],
  ["a message to anyone", 'w.postMessage(m,"*",[p])'],
  ["a message to anyone, minified", "w.postMessage({a:b(c)},`*`)"],
  ["a target in an options object", "w.postMessage(m,{targetOrigin:x})"],
  ["markup", "el.innerHTML=x"],
  ["markup that replaces", "el.outerHTML=x"],
  ["markup beside", "el.insertAdjacentHTML(a,b)"],
  ["a style element", 'd.createElement("style")'],
  ["a script element made another way", "C.call(document,`script`)"],
  ["a script element by a function of ours", "e(`script`)"],
  ["a style attribute", "el.setAttribute(`style`,s)"],
  ["code from text", "new Function(x)"],
  ["code from text, minified", "Function(x)"],
  ["code from text, indirectly", "(0,eval)(x)"],
  ["a request", "await fetch(u)"],
  ["a request of the window", "window.fetch(u)"],
  ["a request by name", "Reflect.get(window,`fetch`)"],
  ["an older request", "new XMLHttpRequest"],
  ["a request on leaving", "navigator.sendBeacon(u)"],
  ["a socket", "new WebSocket(u)"],
  ["too many bytes", randomBytes(24_000).toString("hex")],
])("%s is found", (_what, code) => {
  expect(loaderProblems(code, budget)).toHaveLength(1);
});
