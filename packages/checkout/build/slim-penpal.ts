/**
 * When penpal is bundled, removes the parts that we never use, so that customers needn't load them. The rest of the code
 * and node_modules stay unchanged.
 *
 * The iframe calls `connect` only with `methods` and the messenger of `port-messenger.ts`. The two ends call each other's
 * methods by a single name with plain arguments, and neither reads penpal's errors. Each reason below follows from that.
 *
 * Every pattern must match the given number of times. Otherwise penpal has changed and the build fails: read its
 * source, and update or remove the patterns. A test compares the result with the whole library.
 */

/** A pattern, how often it must match, and its replacement (default: nothing). */
type Cut = readonly [find: RegExp, times: number, put?: string];

const cutsByReason: Readonly<Record<string, readonly Cut[]>> = {
  "our code never passes `channel`": [
    [/^ *channel,\n|(?<=\()channel, (?=callId)|, channel(?=[,)])| && data\.channel === channel/gm, 18],
  ],
  "our code never passes `log`": [
    [/^ *log\?\.\([^;]*\);\n/gm, 12],
    [/,\s*log(?=\s*[},)])|(?<=\{ )log, |(?<=callback, )log, /g, 11],
  ],
  "our code never passes `timeout`, because the iframe has its own timer": [
    [/const timeoutId = timeout !== void 0 \? (?:window\.)?setTimeout[^]*?: void 0;/g, 2],
    [/clearTimeout\(timeoutId\);/g, 2],
    [/(?<=methodPath, (?:resolve, )?reject), timeoutId(?= \})|,\s*timeout(?=\s*\})/g, 5],
  ],
  "both ends pass `methods` and a new messenger": [
    [/methods = \{\}/g, 1, "methods"],
    [/if \(!messenger\) \{[^]*?usedMessengers\.add\(messenger\);/g, 1],
  ],
  "our calls pass no `CallOptions`": [
    [/const lastArg = [^]*?args\.slice\(0, -1\) : args;/g, 1],
    [/args: argsWithoutOptions/g, 1, "args"],
    [/callMessage, transferables/g, 1, "callMessage"],
  ],
  "our calls use a method's name, never a property of the method": [
    [
      /(?<=createRemoteProxy = \(callback)(?:, path = \[\])\) => \{\s*return new Proxy\([^]*?\n\};/g,
      1,
      ") => new Proxy({}, { get: (_, name) => name === 'then' ? void 0 : (...args) => callback([name], args) });",
    ],
  ],
  "our messenger drops calls of unknown methods": [
    [/if \(!method\) \{[^]*?\);\s*\}/g, 1],
    [/methodPath\.reduce\([^]*?methods\s*\);/g, 1, "methods[methodPath[0]];"],
    [/isFunction\(result\) \? (result) : void 0/g, 1, "$1"],
  ],
  "our methods return plain data that can be cloned, and never a `Reply`": [
    [/if \(value instanceof Reply_default\) \{[^}]*\}|let transferables;/g, 2],
    [
      /try \{\s*(messenger\.sendMessage\(replyMessage), transferables(\);)\s*\} catch \(error\) \{[^}]*\}\s*throw error;\s*\}/g,
      1,
      "$1$2",
    ],
  ],
  "our messenger replaces errors with `refused`": [
    [/,\n *\.\.\.error instanceof Error \? \{ value: serializeError.*/g, 1],
    [/(?<=createErrorReplyMessage(?: = )?\(callId), error/g, 2],
  ],
  "our messenger never marks an error to be rebuilt": [
    [/isSerializedErrorInstance \? deserializeError\(value\) : value/g, 1, "value"],
    [/(?<=value, isError), isSerializedErrorInstance(?= \} = message)/g, 1],
  ],
  "an ID only tells the calls and the two ends of one private port apart": [
    [
      /crypto\.randomUUID\?\.bind\(crypto\) \?\? \(\(\) => new Array\(4\)[^;]*?\.join\("-"\)\);/g,
      1,
      "() => Math.random().toString(36);",
    ],
  ],
  "our code never reads penpal's errors": [
    [/(?<=\{ )methodPath, (?=(?:resolve, )?reject \})|(?<=MethodCallError\()methodPath(?=\);|\)\);)/g, 4],
    [
      /new PenpalError_default\(\s*"(?:CONNECTION|TRANSMISSION)_[A-Z_]+",\s*(?:`(?:[^`\\]|\\`)*`|error\.message)\s*\)/g,
      6,
      "new Error()",
    ],
  ],
  "handshake messages are plain data": [
    [
      /try \{\s*(messenger\.sendMessage\((?:syn|ack1|ack2|destroy)Message\);)\s*\} catch \(\w+\) \{\s*(?:reject\(new Error\(\)\);\s*(?:return;\s*)?)?\}/g,
      4,
      "$1",
    ],
  ],
  "the handshake has no timeout, and its messages can always be sent, so it never fails": [
    [/try \{\s*(messenger\.initialize[^]*?return remoteProxy;)\s*\} catch \(error\) \{[^}]*\}/g, 1, "$1"],
    [/(?<=promise, resolve), reject(?= \} = getPromise)/g, 1],
    [
      /let reject;(?=\s*const promise = new Promise\(\(res)|reject = rej;|(?<=\(res), rej(?=\))|,\s*reject(?=\s*\};)/g,
      4,
    ],
  ],
  "closing a connection twice has no effect, since each step can run twice": [
    [/once_default(?=\(\(notifyOtherParticipant\))/g, 1],
  ],
  "penpal 6 and earlier never use a port": [
    [/ (?:&&|\|\|) \/\/ TODO: Used for backward-compatibility\..*\n *remoteParticipantId [!=]== DEPRECATED_\w+/g, 2],
    [/const methodPaths = extract.*;|,\s*methodPaths(?=\s*\})/g, 2],
  ],
};

/** A Vite plugin. */
export const slimPenpal = {
  name: "oriel-slim-penpal",
  transform: (code: string, id: string) => (/[\\/]node_modules[\\/]penpal[\\/]/.test(id) ? slim(code) : null),
};

/** @throws Error if the patterns don't match, as with another version of penpal */
export function slim(penpal: string): string {
  let left = penpal;
  for (const [reason, cuts] of Object.entries(cutsByReason)) {
    for (const [find, times, put = ""] of cuts) {
      const found = left.match(find)?.length ?? 0;
      if (found !== times) {
        throw new Error(
          `penpal has changed: ${String(find)} matches ${found} times instead of ${times}. Check that this is still true: ${reason}.`,
        );
      }
      left = left.replace(find, put);
    }
  }
  return left;
}
