/** Vite's `build.license`: each build lists the licenses of the libraries that it contains in this file. */
export const license = { fileName: "third-party-licenses.md" };
