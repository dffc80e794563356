/** The version of the `oriel` and `oriel-server` commands, as in their `package.json` files. A test compares them. */
export const version = "0.1.0";
