/**
 * The loader's version, as its immutable address and its debug report name it. The same as package.json's; a test
 * compares.
 */
export const version = "1.0.0";
