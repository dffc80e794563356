import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { loaderProblems } from "../build.ts";

test("a loader without card words that posts to an exact origin is fine", () => {
  expect(loaderProblems('f.postMessage({type:"oriel:init"},o,[p]);on("*")')).toEqual([]);
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
  ["a style element", 'd.createElement("style")'],
  ["code from text", "new Function(x)"],
  ["too many bytes", randomBytes(24_000).toString("hex")],
])("%s is found", (_what, code) => {
  expect(loaderProblems(code)).toHaveLength(1);
});
