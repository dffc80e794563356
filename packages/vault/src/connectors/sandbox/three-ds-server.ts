/** Card ranges, authentication requests and results, from the acquirer's directory server. */
import { messageVersions, type PReq } from "@oriel/protocol/threeds";
import type { Observe } from "../connector.ts";
import { InvalidReplyError } from "../errors.ts";
import type { SendCall } from "../http.ts";
import type { DirectoryServer } from "../three-ds-server.ts";
import { cacheCardRanges } from "./card-ranges.ts";
import { readARes, readCardRanges, readErro, type CardRange } from "./threeds-responses.ts";

export interface ThreeDSServerParts {
  call: SendCall;
  observe: Observe;
  queryTimeoutMs: number;
  resultTimeoutMs: number;
  now: () => Date;
  warn: (message: string) => void;
}

/** Erro code "message version number not supported" (Table A.4). */
const versionNotSupported = "102";

export function openThreeDSServer(parts: ThreeDSServerParts): DirectoryServer {
  const { call, observe, queryTimeoutMs, resultTimeoutMs, now, warn } = parts;

  return {
    kind: "directory_server",
    enrollment: cacheCardRanges(requestCardRanges, now, warn),

    async authenticate(request) {
      const what = "an authentication request";
      const { body } = await observe("authenticate", () =>
        call({ what, path: "/directory-server", timeoutMs: queryTimeoutMs, body: request }),
      );
      const message = readARes(body, request) ?? readErro(body);
      if (message === null) throw new InvalidReplyError(what, "it's neither an ARes nor an Erro");
      return message;
    },

    async result(threeDSServerTransID) {
      const what = "a request for a 3-D Secure result";
      const path = `/directory-server/results/${encodeURIComponent(threeDSServerTransID)}`;
      const { status, body } = await observe("result", () => call({ what, path, timeoutMs: resultTimeoutMs }));
      if (status === 200) return body;
      if (status === 404) return null; // no result yet, or not supported
      throw new InvalidReplyError(what, `HTTP ${status}`);
    },
  };

  /** If the directory server reports that it doesn't support the newest version, the previous one is used. */
  async function requestCardRanges(): Promise<CardRange[]> {
    const what = "a request for card ranges";
    for (const messageVersion of messageVersions.toReversed()) {
      const request: PReq = { messageType: "PReq", messageVersion };
      const { body } = await observe("card_ranges", () =>
        call({ what, path: "/directory-server", timeoutMs: queryTimeoutMs, body: request }),
      );
      const ranges = readCardRanges(body);
      if (ranges !== null) return ranges;
      if (readErro(body)?.errorCode !== versionNotSupported) break;
    }
    throw new InvalidReplyError(what, "it isn't a PRes");
  }
}
