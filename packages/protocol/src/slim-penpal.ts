/**
 * When penpal is bundled, removes the parts that we never use, so that merchants' pages needn't load them. The rest of
 * the code and node_modules stay unchanged.
 *
 * The loader and the iframe call `connect` only with `methods` and the messenger of `port-messenger.ts`. They call each
 * other's methods by a single name with plain arguments, and neither reads penpal's errors. Each reason below follows
 * from that.
 *
 * Every pattern must match the given number of times. Otherwise penpal has changed and the build fails: read its
 * source, and update or remove the patterns. A test in packages/embed/test compares the result with the whole library.
 */

/** A pattern, how often it must match, and its replacement (default: nothing). */
type Cut = readonly [find: RegExp, times: number, put?: string];

const cutsByReason: Readonly<Record<string, readonly Cut[]>> = {
  "nobody passes `channel`": [
    [/^ *channel,\n|(?<=\()channel, (?=callId)|, channel(?=[,)])| && data\.channel === channel/gm, 18],
  ],
  "nobody passes `log`": [
    [/^ *log\?\.\([^;]*\);\n/gm, 12],
    [/,\s*log(?=\s*[},)])|(?<=\{ )log, |(?<=callback, )log, /g, 11],
  ],
  "nobody passes `timeout`; the frame has its own clock": [
    [/const timeoutId = timeout !== void 0 \? (?:window\.)?setTimeout[^]*?: void 0;/g, 2],
    [/clearTimeout\(timeoutId\);/g, 2],
    [/(?<=methodPath, (?:resolve, )?reject), timeoutId(?= \})|,\s*timeout(?=\s*\})/g, 5],
  ],
  "both pass `methods`, and a messenger that is new": [
    [/methods = \{\}/g, 1, "methods"],
    [/if \(!messenger\) \{[^]*?usedMessengers\.add\(messenger\);/g, 1],
  ],
  "calls pass no `CallOptions`": [
    [/const lastArg = [^]*?args\.slice\(0, -1\) : args;/g, 1],
    [/args: argsWithoutOptions/g, 1, "args"],
    [/callMessage, transferables/g, 1, "callMessage"],
  ],
  "a call names a method, and nothing of that method": [
    [/if \(path\.length && methodsToTreatAsNative\.has\(prop\)\) \{[^}]*\}/g, 1],
  ],
  "our messenger lets through no call but of a method that there is": [
    [/if \(!method\) \{[^]*?\);\s*\}/g, 1],
    [/isObject\(acc\) \? (acc\[pathSegment\]) : void 0/g, 1, "$1"],
    [/isFunction\(result\) \? (result) : void 0/g, 1, "$1"],
  ],
  "our methods return plain data: no `Reply`, and nothing that can't be cloned": [
    [/if \(value instanceof Reply_default\) \{[^}]*\}|let transferables;/g, 2],
    [
      /try \{\s*(messenger\.sendMessage\(replyMessage), transferables(\);)\s*\} catch \(error\) \{[^}]*\}\s*throw error;\s*\}/g,
      1,
      "$1$2",
    ],
  ],
  "our messenger puts `refused` in the place of an error": [
    [/,\n *\.\.\.error instanceof Error \? \{ value: serializeError.*/g, 1],
    [/(?<=createErrorReplyMessage(?: = )?\(callId), error/g, 2],
  ],
  "our messenger marks no error that is to be rebuilt": [
    [/isSerializedErrorInstance \? deserializeError\(value\) : value/g, 1, "value"],
    [/(?<=value, isError), isSerializedErrorInstance(?= \} = message)/g, 1],
  ],
  "nobody reads an error of penpal's": [
    [
      /new PenpalError_default\(\s*"(?:CONNECTION|TRANSMISSION)_[A-Z_]+",\s*(?:`(?:[^`\\]|\\`)*`|error\.message)\s*\)/g,
      6,
      "new Error()",
    ],
  ],
  "messages of the handshake are plain data": [
    [
      /try \{\s*(messenger\.sendMessage\((?:syn|ack1|ack2|destroy)Message\);)\s*\} catch \(\w+\) \{\s*(?:reject\(new Error\(\)\);\s*(?:return;\s*)?)?\}/g,
      4,
      "$1",
    ],
  ],
  "penpal 6 and older never speak over a port": [
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
          `penpal has changed: ${String(find)} is there ${found} times, not ${times}. Is it still so that ${reason}?`,
        );
      }
      left = left.replace(find, put);
    }
  }
  return left;
}
