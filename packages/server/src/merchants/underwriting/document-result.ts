/** Either the bytes to store, or the fault: the end of a sentence that starts with "The document". */
export type DocumentResult = { content: Buffer } | { fault: string };
