/**
 * The handle's methods that call the iframe: update, validate, submit, focus and the debug report. The iframe is
 * simulated.
 */
import { expect, test, vi } from "vitest";
import { task } from "../../test/empty-page.ts";
import { mount, mountAndPlay, playCheckouts } from "../../test/simulated-checkout.ts";
import { embedUrl, otherEmbedUrl, play, readyDetail } from "../../test/simulated-frame.ts";
import { createCheckout } from "./create-checkout.ts";

playCheckouts();

test("sends locale and appearance in the iframe's name, and all settings once it's connected", async () => {
  const appearance = { theme: "dark", variables: { colorPrimary: "#0c5c4c" } } as const;
  const { element, frame } = await mountAndPlay({
    locale: "fr",
    appearance,
    threeDS: { presentation: "inline" },
    fields: { name: "required" },
  });
  const sent = { ...appearance, transparent: false }; // the page is white
  expect(JSON.parse(element.name)).toEqual({ locale: "fr", appearance: sent });
  await vi.waitFor(() => expect(frame.received).toContainEqual(expect.stringMatching(/^update /)));
  const update = frame.received.find((call) => call.startsWith("update ")) ?? "";
  expect(JSON.parse(update.slice("update ".length))).toEqual({
    locale: "fr",
    appearance: sent,
    challenge: "inline",
    fields: { name: "required" },
  });
});

test("names refused options in the console, and in the rejection of an update", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  const { checkout } = await mountAndPlay({ testScenario: "x" }, { answers: { update: ["testScenario", "fields"] } });
  await vi.waitFor(() => expect(warned).toHaveBeenCalledExactlyOnceWith("Oriel: refused testScenario, fields."));
  await expect(checkout.update({ locale: "de" })).rejects.toThrow("Oriel: refused testScenario, fields.");
  // @ts-expect-error the session can't be updated
  await expect(checkout.update({ embedUrl: otherEmbedUrl })).rejects.toThrow('unknown update option "embedUrl"');
  warned.mockRestore();
});

test.each([{ length: 1 }, "x", [{ toString: 1 }]])("ignores a malformed list of refused options: %j", async (list) => {
  const uncaught = vi.fn<(error: unknown) => void>();
  process.on("unhandledRejection", uncaught);
  const { checkout } = await mountAndPlay({}, { answers: { update: list } });
  await expect(checkout.update({ locale: "de" })).resolves.toBe(undefined);
  process.off("unhandledRejection", uncaught);
  expect(uncaught).not.toHaveBeenCalled();
});

test("logs nothing if the iframe refuses nothing or is removed before it responds", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  const { frame } = await mountAndPlay();
  await vi.waitFor(() => expect(frame.received).toContainEqual(expect.stringMatching(/^update /)));
  await frame.send("ready", readyDetail);
  const { checkout, frame: silent } = await mountAndPlay(
    { embedUrl: otherEmbedUrl },
    { answers: { update: new Promise(() => {}) } },
  );
  await vi.waitFor(() => expect(silent.received).toContainEqual(expect.stringMatching(/^update /)));
  checkout.destroy();
  await task();
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});

test("update without a title keeps the iframe's title", async () => {
  const { element } = await mountAndPlay({ title: "Pay for the cup" });
  await mount({ title: "Pay for the saucer" }).update({ locale: "fr" });
  expect(element.title).toBe("Pay for the cup");
});

test("update changes the title immediately and sends the other options to the iframe", async () => {
  const { checkout, element, frame } = await mountAndPlay({ locale: "fr" });
  await frame.send("ready", readyDetail);
  await checkout.update({ title: "Zahlung", disabled: true });
  expect(element.title).toBe("Zahlung");
  const sent = frame.received.findLast((call) => call.startsWith("update ")) ?? "";
  expect(JSON.parse(sent.slice("update ".length))).toMatchObject({ locale: "fr", disabled: true });
});

test("validate and submit return only documented fields of the iframe's results", async () => {
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
])("submit returns an error with a code if the iframe returns %s", async (type, code) => {
  const { checkout, frame } = await mountAndPlay({}, { answers: { submit: { type } } });
  await frame.send("ready", readyDetail);
  expect(await checkout.submit()).toMatchObject({ type: "error", error: { code, mayHavePaid: false } });
});

test("concurrent submits share one attempt, whose outcome is unknown if the checkout is destroyed", async () => {
  const { checkout, frame } = await mountAndPlay({}, { answers: { submit: new Promise(() => {}) } });
  await frame.send("ready", readyDetail);
  const [first, second] = [checkout.submit(), checkout.submit()];
  await vi.waitUntil(() => frame.received.includes("submit"));
  checkout.destroy();
  const unknown = { type: "error", error: { code: "destroyed", mayHavePaid: true, retryable: false } };
  expect(await Promise.all([first, second])).toMatchObject([unknown, unknown]);
  expect(frame.received.filter((verb) => verb === "submit")).toHaveLength(1);
});

test("a submit whose iframe is removed has an unknown outcome", async () => {
  const { checkout, frame } = await mountAndPlay({}, { answers: { submit: new Promise(() => {}) } });
  await frame.send("ready", readyDetail);
  const submission = checkout.submit();
  await vi.waitUntil(() => frame.received.includes("submit"));
  checkout.unmount();
  expect(await submission).toMatchObject({ type: "error", error: { code: "destroyed", mayHavePaid: true } });
});

test("an option in an update replaces the previous value and lasts until the next one, also after a reload", async () => {
  const { checkout, element, frame } = await mountAndPlay({
    locale: "fr",
    appearance: { theme: "dark", variables: { colorPrimary: "#0c5c4c" } },
    fields: { name: "required" },
  });
  await frame.send("ready", readyDetail);
  await checkout.update({ appearance: { variables: { borderRadius: "2px" } }, fields: { email: "required" } });
  const sent = () =>
    JSON.parse(again.received.find((call) => call.startsWith("update "))?.slice("update ".length) ?? "");
  const again = await play(element);
  await vi.waitFor(() =>
    expect(sent()).toEqual({
      locale: "fr",
      appearance: { theme: "light", transparent: false, variables: { borderRadius: "2px" } },
      fields: { email: "required" },
    }),
  );
});

test.each(["busy", "failed"])("a submit that returns %s sets mayHavePaid only after a submit event", async (type) => {
  const { checkout, frame } = await mountAndPlay({}, { answers: { submit: { type } } });
  await frame.send("ready", readyDetail);
  expect(await checkout.submit()).toMatchObject({ error: { mayHavePaid: false, retryable: true } });
  await frame.send("submit", {});
  expect(await checkout.submit()).toMatchObject({ error: { mayHavePaid: true, retryable: false } });
});

test("keeps a sandboxed iframe, which explains the problem, and shows the link below it", async () => {
  const received: string[] = [];
  const { checkout, element, frame } = await mountAndPlay({
    debug: true,
    onError: ({ code }) => void received.push(code),
  });
  await frame.send("error", { code: "sandboxed" });
  expect(received).toEqual(["sandboxed"]);
  await frame.send("error", { code: "sandboxed" });
  expect(received).toEqual(["sandboxed"]);
  expect(element.isConnected).toBe(true);
  expect(element.parentElement?.querySelector("a")?.href).toBe(embedUrl);
  expect((await checkout.getDebugReport()).events.map(([, what]) => what)).toContain("sandboxed");
});

test("all methods work without an iframe and after destroy", async () => {
  const checkout = createCheckout({ embedUrl });
  expect(await checkout.submit()).toMatchObject({ type: "error" });
  expect(await checkout.validate()).toEqual({ valid: false, errors: [] });
  checkout.focus("number");
  checkout.blur();
  checkout.clear();
  await checkout.refresh();
  expect(await checkout.runServerUpdate(async () => "changed")).toBe("changed");
  await expect(checkout.update({ locale: "fr", title: "Paiement" })).resolves.toBeUndefined();
  checkout.destroy();
  expect(await checkout.submit()).toMatchObject({ type: "error" });
  expect((await checkout.getDebugReport()).state).toBe("destroyed");
});

test("refresh is sent once the iframe is ready, because one that is loading may have read the session already", async () => {
  const { checkout, frame } = await mountAndPlay({}, { answers: { refresh: null } });
  await checkout.refresh();
  await task();
  expect(frame.received).not.toContain("refresh");
  await frame.send("ready", readyDetail);
  await vi.waitFor(() => expect(frame.received).toContain("refresh"));
});

test("refresh isn't lost while the iframe loads a second time", async () => {
  const { checkout, frame, element } = await mountAndPlay();
  await frame.send("ready", readyDetail);
  const again = await play(element, { answers: { refresh: null } });
  await checkout.refresh();
  await task();
  expect(again.received).not.toContain("refresh");
  await again.send("ready", readyDetail);
  await vi.waitFor(() => expect(again.received).toContain("refresh"));
});

test("runServerUpdate refreshes the form after the change, even if that fails, and passes on its result", async () => {
  const { checkout, frame } = await mountAndPlay({}, { answers: { refresh: null } });
  await frame.send("ready", readyDetail);
  const refreshes = () => frame.received.filter((call) => call === "refresh").length;
  expect(await checkout.runServerUpdate(async () => refreshes())).toBe(0);
  expect(refreshes()).toBe(1);
  await expect(checkout.runServerUpdate(() => Promise.reject(new Error("no server")))).rejects.toThrow("no server");
  expect(refreshes()).toBe(2);
});

test("a pending update resolves when the checkout is destroyed", async () => {
  const { checkout, frame } = await mountAndPlay();
  await frame.send("ready", readyDetail);
  const updated = checkout.update({ locale: "de" });
  checkout.destroy();
  await expect(updated).resolves.toBeUndefined();
});

test("the debug report has null values before there is a session", async () => {
  const checkout = createCheckout({ fetchEmbedUrl: () => new Promise(() => {}) });
  expect(await checkout.getDebugReport()).toMatchObject({
    protocol: null,
    sessionId: null,
    state: "idle",
    frame: [],
    events: [],
  });
});

test("the debug report has milliseconds since the checkout was created and at most 200 entries", async () => {
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

test("ignores an unexpected response", async () => {
  const { checkout, frame } = await mountAndPlay();
  const { port } = frame;
  port.postMessage({ namespace: "penpal", type: "REPLY", callId: "99", value: { valid: true, errors: [] } });
  await frame.send("ready", readyDetail);
  expect(checkout.state).toBe("ready");
});

test("reloading the iframe cancels pending calls and closes the old connection", async () => {
  const { checkout, element, frame } = await mountAndPlay({}, { answers: { validate: new Promise(() => {}) } });
  await frame.send("ready", readyDetail);
  const closed = vi.fn();
  frame.port.addEventListener("close", closed);
  const validation = checkout.validate();
  await vi.waitFor(() => expect(frame.received).toContain("validate"));
  await play(element);
  await expect(validation).resolves.toEqual({ valid: false, errors: [] });
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
});

test("focus, blur and clear are sent to the iframe", async () => {
  const { checkout, frame } = await mountAndPlay();
  await frame.send("ready", readyDetail);
  checkout.focus("cvc");
  checkout.blur();
  checkout.clear();
  await vi.waitFor(() => expect(frame.received).toEqual(expect.arrayContaining(['focus "cvc"', "blur", "clear"])));
});

test("the debug report has both timelines and no URL, secret or customer input", async () => {
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

test("the debug report has at most 100 entries from the iframe", async () => {
  const { checkout, frame } = await mountAndPlay(
    {},
    { answers: { report: Array.from({ length: 150 }, () => [3, "opened"]) } },
  );
  await frame.send("ready", readyDetail);
  expect((await checkout.getDebugReport()).frame).toHaveLength(100);
});

test("records no timeline without debug", async () => {
  const { checkout, frame } = await mountAndPlay();
  await frame.send("ready", readyDetail);
  expect((await checkout.getDebugReport()).events).toEqual([]);
});
