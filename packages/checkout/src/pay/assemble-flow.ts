/** Assembles the payment flow: how a card is sent, and what comes after it. */
import type { CardFields } from "../form/card-fields.ts";
import type { FormSettings } from "../form/form-settings.ts";
import type { FormWatch } from "../form/watch-form.ts";
import type { FrameLog } from "../host/frame-log.ts";
import type { HostPage } from "../host/host-page.ts";
import type { Page } from "../page/page.ts";
import type { Screen } from "../page/screen.ts";
import { readBrowserFields } from "../service/browser-fields.ts";
import type { FrameApi } from "../service/frame-api.ts";
import { createKnownDevice } from "../service/known-device.ts";
import { sendCard } from "../service/send-card.ts";
import type { WakeableWait } from "../service/wakeable-wait.ts";
import { placeChallenge } from "../threeds/place-challenge.ts";
import { createAfterPay } from "./after-pay.ts";
import { createPaymentFlow } from "./payment-flow.ts";
import type { PaymentFlow } from "./payment-flow.ts";

export interface FlowParts {
  page: Page;
  window: Window;
  api: FrameApi;
  host: Pick<HostPage, "room" | "emit">;
  wait: WakeableWait;
  fields: CardFields;
  settings: Pick<FormSettings, "billing" | "current" | "leaveOut">;
  form: Pick<FormWatch, "refresh" | "refuse">;
  screen: Screen;
  log: Pick<FrameLog, "note">;
  /** Fits the iframe's height to its content again after it was shown over the host page. */
  measure(): void;
}

export function assembleFlow(parts: FlowParts): PaymentFlow {
  const { window, api, host, fields, settings, form } = parts;
  const device = createKnownDevice(window);
  const place = () => placeChallenge(window, host.room, settings.current().challenge);
  return createPaymentFlow({
    ...parts,
    ...createAfterPay({ ...parts, place }),
    now: api.now,
    fields: {
      ...fields,
      wipeCvc() {
        fields.wipeCvc();
        form.refresh();
      },
    },
    rememberDevice: device.store,
    billing: { leaveOut: settings.leaveOut, refuse: form.refuse },
    send(card, version) {
      if (!card) return api.complete(version);
      const network = fields.network.chosen();
      return sendCard({ ...card, ...(network && { network }) }, version, {
        api,
        crypto: window.crypto,
        browser: () => readBrowserFields(window, api.now()),
        billing: settings.billing,
        windowSize: () => place().windowSize,
        device: device.id,
      });
    },
    isOnline: () => window.navigator.onLine,
    reload: () => window.location.reload(),
  });
}
