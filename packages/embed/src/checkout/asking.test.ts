/**
 * What a page asks of the form through the handle: update, validate, submit, focus, the debug report. The frame is
 * played.
 */
import { expect, test, vi } from "vitest";
import { task } from "../../test/empty-page.ts";
import { mount, mountAndPlay, playCheckouts } from "../../test/played-checkout.ts";
import { embedUrl, otherEmbedUrl, play, readyDetail } from "../../test/played-frame.ts";
import { createCheckout } from "./create-checkout.ts";

playCheckouts();

test("the frame is told how the page wants it: looks in its name, everything once it has connected", async () => {
  const appearance = { theme: "dark", variables: { colorPrimary: "#0c5c4c" } } as const;
  const { element, frame } = await mountAndPlay({
    locale: "fr",
    appearance,
    threeDS: { presentation: "inline" },
    fields: { name: "required" },
  });
  expect(JSON.parse(element.name)).toEqual({ locale: "fr", appearance });
  await vi.waitFor(() => expect(frame.heard).toContainEqual(expect.stringMatching(/^update /)));
  const told = frame.heard.find((call) => call.startsWith("update ")) ?? "";
  expect(JSON.parse(told.slice("update ".length))).toEqual({
    locale: "fr",
    appearance,
    challenge: "inline",
    fields: { name: "required" },
  });
});

test("what the frame refuses of the options is named on the console; of an update, it is what that rejects with", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  const { checkout } = await mountAndPlay({ testScenario: "x" }, { answers: { update: ["testScenario", "fields"] } });
  await vi.waitFor(() => expect(warned).toHaveBeenCalledExactlyOnceWith("Oriel: refused testScenario, fields."));
  await expect(checkout.update({ locale: "de" })).rejects.toThrow("Oriel: refused testScenario, fields.");
  // @ts-expect-error another session is no update
  await expect(checkout.update({ embedUrl: otherEmbedUrl })).rejects.toThrow('no changeable option "embedUrl"');
  warned.mockRestore();
});

test("nothing is said on the console when the frame refuses nothing, or goes before it has said so", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  const { frame } = await mountAndPlay();
  await vi.waitFor(() => expect(frame.heard).toContainEqual(expect.stringMatching(/^update /)));
  await frame.send("ready", readyDetail);
  const { checkout, frame: silent } = await mountAndPlay(
    { embedUrl: otherEmbedUrl },
    { answers: { update: new Promise(() => {}) } },
  );
  await vi.waitFor(() => expect(silent.heard).toContainEqual(expect.stringMatching(/^update /)));
  checkout.destroy();
  await task();
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});

test("an update without a title leaves the frame's as it is", async () => {
  const { element } = await mountAndPlay({ title: "Pay for the cup" });
  await mount({ title: "Pay for the saucer" }).update({ locale: "fr" });
  expect(element.title).toBe("Pay for the cup");
});

test("update changes the title at once and tells the frame the rest", async () => {
  const { checkout, element, frame } = await mountAndPlay({ locale: "fr" });
  await frame.send("ready", readyDetail);
  await checkout.update({ title: "Zahlung", disabled: true });
  expect(element.title).toBe("Zahlung");
  const told = frame.heard.findLast((call) => call.startsWith("update ")) ?? "";
  expect(JSON.parse(told.slice("update ".length))).toMatchObject({ locale: "fr", disabled: true });
});

test("validate and submit answer what the frame says, with documented fields only", async () => {
  const errors = [{ field: "number", code: "number_missing", message: "Enter your card number." }];
  const { checkout, frame } = await mountAndPlay(
    {},
    {
      answers: {
        validate: { valid: false, errors, number: "4242424242424242" },
        submit: { type: "complete", sessionId: "cs_one", number: "4242424242424242" },
      },
    },
  );
  await frame.send("ready", readyDetail);
  expect(await checkout.validate()).toEqual({ valid: false, errors });
  expect(await checkout.submit()).toEqual({ type: "complete", sessionId: "cs_one" });
});

test.each([
  ["refused", "submit_not_allowed"],
  ["busy", "internal"],
  ["failed", "internal"],
])("a submit that is %s is an error with a code", async (type, code) => {
  const { checkout, frame } = await mountAndPlay({}, { answers: { submit: { type } } });
  await frame.send("ready", readyDetail);
  expect(await checkout.submit()).toMatchObject({ type: "error", error: { code, mayHavePaid: false } });
});

test("two submits at once are one press; ended in the middle, nobody knows whether it paid", async () => {
  const { checkout, frame } = await mountAndPlay({}, { answers: { submit: new Promise(() => {}) } });
  await frame.send("ready", readyDetail);
  const [first, second] = [checkout.submit(), checkout.submit()];
  await vi.waitUntil(() => frame.heard.includes("submit"));
  checkout.destroy();
  const unknown = { type: "error", error: { code: "destroyed", mayHavePaid: true, retryable: false } };
  expect(await Promise.all([first, second])).toMatchObject([unknown, unknown]);
  expect(frame.heard.filter((verb) => verb === "submit")).toHaveLength(1);
});

test.each(["busy", "failed"])(
  "a submit that is %s may have paid only if the frame has said that something is on its way",
  async (type) => {
    const { checkout, frame } = await mountAndPlay({}, { answers: { submit: { type } } });
    await frame.send("ready", readyDetail);
    expect(await checkout.submit()).toMatchObject({ error: { mayHavePaid: false, retryable: true } });
    await frame.send("submit", {});
    expect(await checkout.submit()).toMatchObject({ error: { mayHavePaid: true, retryable: false } });
  },
);

test("a frame in a sandbox that it cannot work in is left standing with its notice, and the link below it", async () => {
  const heard: string[] = [];
  const { checkout, element, frame } = await mountAndPlay({
    debug: true,
    onError: ({ code }) => void heard.push(code),
  });
  await frame.send("error", { code: "sandboxed" });
  expect(heard).toEqual(["sandboxed"]);
  await frame.send("error", { code: "sandboxed" });
  expect(heard).toEqual(["sandboxed"]);
  expect(element.isConnected).toBe(true);
  expect(element.parentElement?.querySelector("a")?.href).toBe(embedUrl);
  expect((await checkout.getDebugReport()).events.map(([, what]) => what)).toContain("sandboxed");
});

test("before there is a frame, and after destroy, asking it answers by itself", async () => {
  const checkout = createCheckout({ embedUrl });
  expect(await checkout.submit()).toMatchObject({ type: "error" });
  expect(await checkout.validate()).toEqual({ valid: false, errors: [] });
  checkout.focus("number");
  checkout.blur();
  checkout.clear();
  await expect(checkout.update({ locale: "fr", title: "Paiement" })).resolves.toBeUndefined();
  checkout.destroy();
  expect(await checkout.submit()).toMatchObject({ type: "error" });
  expect((await checkout.getDebugReport()).state).toBe("destroyed");
});

test("an update that destroy overtakes ends without an error", async () => {
  const { checkout, frame } = await mountAndPlay();
  await frame.send("ready", readyDetail);
  const updated = checkout.update({ locale: "de" });
  checkout.destroy();
  await expect(updated).resolves.toBeUndefined();
});

test("before there is a session the debug report says so", async () => {
  const checkout = createCheckout({ fetchEmbedUrl: () => new Promise(() => {}) });
  expect(await checkout.getDebugReport()).toMatchObject({
    protocol: null,
    sessionId: null,
    state: "idle",
    frame: [],
    events: [],
  });
});

test("the debug report counts milliseconds since the checkout was created, and keeps 200 entries", async () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(1_000);
  const { checkout, frame } = await mountAndPlay({ debug: true });
  now.mockReturnValue(1_250.4);
  for (let count = 0; count < 205; count++) await frame.send("resize", { height: 300 });
  const { events } = await checkout.getDebugReport();
  now.mockRestore();
  expect(events).toHaveLength(200);
  expect(events[0]).toEqual([0, "load"]);
  expect(events.at(-1)).toEqual([250, "resize"]);
});

test("an answer that nobody asked for is dropped", async () => {
  const { checkout, frame } = await mountAndPlay();
  const { port } = frame;
  port.postMessage({ namespace: "penpal", type: "REPLY", callId: "99", value: { valid: true, errors: [] } });
  await frame.send("ready", readyDetail);
  expect(checkout.state).toBe("ready");
});

test("what was asked before the iframe was loaded again has no answer, and its line is closed", async () => {
  const { checkout, element, frame } = await mountAndPlay({}, { answers: { validate: new Promise(() => {}) } });
  await frame.send("ready", readyDetail);
  const closed = vi.fn();
  frame.port.addEventListener("close", closed);
  const validation = checkout.validate();
  await vi.waitFor(() => expect(frame.heard).toContain("validate"));
  await play(element);
  await expect(validation).resolves.toEqual({ valid: false, errors: [] });
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
});

test("focus, blur and clear reach the frame", async () => {
  const { checkout, frame } = await mountAndPlay();
  await frame.send("ready", readyDetail);
  checkout.focus("cvc");
  checkout.blur();
  checkout.clear();
  await vi.waitFor(() => expect(frame.heard).toEqual(expect.arrayContaining(['focus "cvc"', "blur", "clear"])));
});

test("the debug report has both timelines, and no address, secret or typed thing", async () => {
  const { checkout, frame } = await mountAndPlay({ debug: true }, { answers: { report: [[3, "opened"]] } });
  await frame.send("ready", readyDetail);
  const report = await checkout.getDebugReport();
  expect(report).toMatchObject({
    version: expect.any(String),
    protocol: 1,
    sessionId: "cs_one",
    state: "ready",
    frame: [[3, "opened"]],
  });
  expect(report.events.map(([, what]) => what)).toEqual(["load", "here", "ready"]);
  expect(JSON.stringify(report)).not.toMatch(/secret|https:/);
});

test("the debug report takes at most 100 entries from the frame", async () => {
  const { checkout, frame } = await mountAndPlay(
    {},
    { answers: { report: Array.from({ length: 150 }, () => [3, "opened"]) } },
  );
  await frame.send("ready", readyDetail);
  expect((await checkout.getDebugReport()).frame).toHaveLength(100);
});

test("without debug no timeline is kept", async () => {
  const { checkout, frame } = await mountAndPlay();
  await frame.send("ready", readyDetail);
  expect((await checkout.getDebugReport()).events).toEqual([]);
});
