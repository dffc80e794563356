/** The version of the server, as in its `package.json`. A test compares the two. */
export const version = "0.1.0";
