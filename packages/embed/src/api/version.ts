/**
 * The loader's version, used in its immutable URL and in the debug report. A test checks that package.json has the
 * same.
 */
export const version = "1.0.0";
