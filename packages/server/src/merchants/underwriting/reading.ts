/** Either the bytes to store, or the fault: the end of a sentence that starts with "The document". */
export type Reading = { content: Buffer } | { fault: string };
