import { beforeEach, describe, expect, it, vi } from "vitest";
import { browser } from "../../test/browser.ts";
import { createTab } from "../../test/create-tab.ts";
import { createFakeService, refused, sessionId } from "../../test/fake-service.ts";
import type { FakeService } from "../../test/fake-service.ts";
import { authenticate, cancel, challenge, declined, open, pay, poll, succeeded } from "../../test/flow-test.ts";
import { createFrameApi } from "./frame-api.ts";
import type { FrameApi } from "./frame-api.ts";
import { openSession } from "./frame-call.ts";
import type { CallResult } from "./frame-call.ts";

const tooMany = refused("rate_limited", 429);
const request: Parameters<FrameApi["pay"]>[0] = {
  card: "jwe",
  browser,
  challenge_window_size: "02",
};
let service: FakeService;
let api: FrameApi;

beforeEach(async () => {
  service = await createFakeService();
  service.on(open, service.session());
  api = createFrameApi(
    service.call,
    () => openSession(service.call, sessionId, "secret"),
    createTab().history,
    Date.now,
  );
});

describe("rate limiting", () => {
  it.each([
    ["the session", open, () => api.open()],
    ["a payment", poll, () => api.payment("dec_1")],
    ["what follows the method", authenticate, () => api.authenticate("dec_1")],
    ["a cancellation", cancel, () => api.cancel("dec_1")],
  ])("counts as no response for %s", async (_what, path, send) => {
    service.on(path, tooMany);
    await expect(send()).resolves.toEqual({ kind: "unreachable" });
    service.on(path, refused("payment_invalid", 404));
    await expect(send()).resolves.toMatchObject({ kind: "refused", code: "payment_invalid" });
  });

  it("counts as a refusal for a request that would start a payment", async () => {
    service.on(pay, tooMany);
    await expect(api.pay(request)).resolves.toMatchObject({ kind: "refused", code: "rate_limited" });
  });

  it("counts as no response for a payment if the token's renewal is what was limited", async () => {
    service.on(poll, refused("token_invalid", 401), service.payment(succeeded));
    service.on(open, tooMany);
    await expect(api.payment("dec_1")).resolves.toEqual({ kind: "unreachable" });
    await expect(api.payment("dec_1")).resolves.toMatchObject({ kind: "answer", body: succeeded });
  });
});

it("keeps a payment request's ID for a reload while the token is renewed, and doesn't ask about it meanwhile", async () => {
  const { history } = createTab();
  history.replaceState({ secret: "secret" }, "");
  const reopened: (string | undefined)[] = [];
  api = createFrameApi(
    service.call,
    async (lost) => {
      reopened.push(lost);
      return service.session();
    },
    history,
    Date.now,
  );
  service.on(pay, refused("frame_token_invalid", 401), new Promise<CallResult>(() => {}));
  void api.pay({ ...request, request_id: "request-1" });
  await vi.waitFor(() => expect(service.paths()).toEqual([pay, pay]));
  expect(reopened).toEqual([undefined]);
  expect(history.state).toEqual({ secret: "secret", lost: "request-1" });
});

describe("a response overtaken by a newer one", () => {
  it("doesn't overwrite the session from the newer one", async () => {
    await api.open();
    let late: (result: CallResult) => void = () => {};
    service.on(poll, new Promise<CallResult>((resolve) => (late = resolve)));
    service.on(cancel, service.payment(declined(), { attempts_left: 4 }));
    const sent = api.payment("dec_1");
    await api.cancel("dec_1");
    late(service.payment(challenge));
    await sent;
    expect(api.session()?.attempts_left).toBe(4);
  });
});
