/** `content`: what is kept of it. `fault`: the rest of a sentence that begins with "The document". */
export type Reading = { content: Buffer } | { fault: string };
